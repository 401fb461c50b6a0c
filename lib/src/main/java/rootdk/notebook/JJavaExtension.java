package rootdk.notebook;

import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.kernel.BaseKernel;

/** Found and called by a JJava kernel when this library comes on its class path; not for notebooks. */
public final class JJavaExtension implements Extension {

    /** Made by the kernel's service loader. */
    public JJavaExtension() {
    }

    /** Registers the renderers. A failure is told on stderr: an exception here would end the kernel. */
    @Override
    public void install(BaseKernel kernel) {
        try {
            Bridge.install(kernel);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            System.err.println("rootdk: matrices, tables and figures will be shown as plain text in this kernel: " + e);
        }
    }

    /** Called when the kernel ends. */
    @Override
    public void uninstall(BaseKernel kernel) {
        Bridge.uninstall(kernel);
    }
}
