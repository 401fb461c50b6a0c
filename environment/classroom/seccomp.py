"""A filter for the system calls of a submission's JVM, which bubblewrap hands to the kernel.

Java starts no process without jspawnhelper, unless a property asks it to fork itself; and Java 25 calls C. So what would escape the limits of
one process is refused by the kernel: new processes, and memory that belongs to none. Threads are allowed.
"""
import platform
import struct

DESCRIPTOR = 9  # from which bubblewrap reads it
CLONE_THREAD, EPERM, ENOSYS = 0x10000, 1, 38
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
# Numbers as in the kernel's tables. x86-64: audit number, clone, then what is refused; arm64 has no fork and vfork.
MACHINES = {
    "x86_64": (0xC000003E, 56, dict(fork=57, vfork=58, ptrace=101, shmget=29, msgget=68, unshare=272, memfd_create=319, memfd_secret=447,
                                    io_uring_setup=425, userfaultfd=323, bpf=321, add_key=248, keyctl=250, mount=165, setns=308)),
    "aarch64": (0xC00000B7, 220, dict(ptrace=117, shmget=194, msgget=186, unshare=97, memfd_create=279, memfd_secret=447,
                                      io_uring_setup=425, userfaultfd=282, bpf=280, add_key=217, keyctl=219, mount=40, setns=268)),
}
CLONE3 = 435  # everywhere; its flags stand in memory, where a filter cannot look: the C library then uses clone


def program(machine=None):
    """The filter as the kernel reads it (struct sock_filter). None for another machine."""
    if (machine or platform.machine()) not in MACHINES:
        return None
    audit, clone, refused = MACHINES[machine or platform.machine()]
    load, equal, at_least, any_bit, give = 0x20, 0x15, 0x35, 0x45, 0x06
    lines = [(load, 0, 0, 4), (equal, 1, 0, audit), (give, 0, 0, KILL),            # of this machine, and no other mode of it
             (load, 0, 0, 0), (at_least, 0, 1, 0x40000000), (give, 0, 0, KILL)]    # nor x86-64's with short addresses
    for number in refused.values():
        lines += [(equal, 0, 1, number), (give, 0, 0, ERROR | EPERM)]
    lines += [(equal, 0, 1, CLONE3), (give, 0, 0, ERROR | ENOSYS),
              (equal, 0, 3, clone), (load, 0, 0, 16), (any_bit, 1, 0, CLONE_THREAD), (give, 0, 0, ERROR | EPERM),
              (give, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
