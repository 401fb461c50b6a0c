"""limits.py SCRATCH_BYTES CPU_SECONDS MEMORY_BYTES FILTER COMMAND ...: becomes the command, with limits set that it cannot raise.

FILTER is the file that the command's --seccomp reads, or -. (prlimit is not everywhere.)
"""
import os
import resource
import sys

scratch, cpu, memory = map(int, sys.argv[1:4])
if sys.argv[4] != "-":
    os.dup2(os.open(sys.argv[4], os.O_RDONLY), 9)  # seccomp.DESCRIPTOR
for which, value in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, scratch), (resource.RLIMIT_NOFILE, 256), (resource.RLIMIT_CPU, cpu),
                     (resource.RLIMIT_AS, memory)):
    hard = resource.getrlimit(which)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))
os.execv(sys.argv[5], sys.argv[5:])
