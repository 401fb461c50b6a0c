"""Starts the course's Java kernel: kernel.py JAVA JJAVA_JAR CONNECTION_FILE [JVM_OPTION ...], as the kernelspec says.

This process becomes the JVM, so that signals reach it and no second one waits. If the JVM cannot start, a
small kernel takes its place and answers every cell with what to do, where Jupyter would say "kernel died".
"""
import os
import sys

from tools import GET_JAVA, ROOT, java_environment

# No option here sets a language or a time zone: a mistake that depends on them has to show.
# A chapter compiles a hundred snippets, whose compiler would keep the JVM's optimising compiler busy for longer than all that
# the chapter computes. So the optimising compiler gets what computes (compiler.json) and nothing else; the low thresholds let
# everything else settle on the quick compiler soon. Without -DisplayVMOutput the JVM would print that it read the file.
COMPILER_OPTIONS = ["-XX:+UnlockDiagnosticVMOptions", "-XX:CompilerDirectivesFile=%s" % (ROOT / "environment" / "compiler.json"),
                    "-XX:CompileCommand=quiet", "-XX:-DisplayVMOutput", "-XX:Tier4InvocationThreshold=300",
                    "-XX:Tier4MinInvocationThreshold=100", "-XX:Tier4CompileThreshold=600", "-XX:Tier4BackEdgeThreshold=3000"]
JVM_OPTIONS = ["-Djava.awt.headless=true", "-Dfile.encoding=UTF-8", "-Xmx1g",
               "-Djava.util.logging.config.file=%s" % (ROOT / "environment" / "logging.properties"),
               "--add-opens", "jdk.jshell/jdk.jshell=ALL-UNNAMED"]  # JJava needs the last


def what_is_missing(java, jjava):
    """What to tell the user if the kernel cannot start, else None."""
    if not os.access(java, os.X_OK):
        return "Java is gone from %s: %s, then run make in %s" % (java, GET_JAVA, ROOT)
    jars = [jar for jar in os.environ.get("JJAVA_CLASSPATH", "").split(os.pathsep) if jar] + [jjava]
    missing = [jar for jar in jars if not os.path.isfile(jar)]
    if missing or len(jars) == 1:
        return "rootdk is not built: run make in %s, then restart the kernel" % ROOT
    return None


def serve_message(message, connection_file):
    """Runs a kernel that answers every cell with the message, as an error."""
    from ipykernel.kernelapp import IPKernelApp
    from ipykernel.kernelbase import Kernel

    class Refusal(Kernel):
        implementation, implementation_version, banner = "rootdk", "1", message
        language_info = {"name": "java", "mimetype": "text/x-java", "file_extension": ".java"}

        async def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **more):
            error = {"ename": "NotReady", "evalue": message, "traceback": [message]}
            self.send_response(self.iopub_socket, "error", error)
            return dict(error, status="error", execution_count=self.execution_count)

    IPKernelApp.launch_instance(["-f", connection_file, "--log-level=ERROR"], kernel_class=Refusal)


def main(java, jjava, connection_file, *more_options):
    message = what_is_missing(java, jjava)
    if message:
        serve_message(message, connection_file)
    else:
        os.execve(java, [java, *COMPILER_OPTIONS, *JVM_OPTIONS, *more_options, "-jar", jjava, connection_file], java_environment())


if __name__ == "__main__":
    main(*sys.argv[1:])
