"""limits.py SCRATCH_BYTES CPU_SECONDS COMMAND ...: becomes the command, with limits set that it cannot raise. (prlimit is not everywhere.)"""
import os
import resource
import sys

scratch, cpu = int(sys.argv[1]), int(sys.argv[2])
for which, value in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, scratch), (resource.RLIMIT_NOFILE, 256), (resource.RLIMIT_CPU, cpu)):
    hard = resource.getrlimit(which)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))
os.execv(sys.argv[3], sys.argv[3:])
