package rootdk.notebook;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The way into a Java kernel. JJava and IJava have one API under two package names, so it is called by reflection,
 * starting from the kernel object, and the library depends on neither.
 *
 * <p>In both kernels {@code renderer.createRegistration(type).preferring(mime…).register(function)} says how a type is
 * shown, be it a cell's result or shown on the way.
 */
final class Bridge {

    private static final String IJAVA = "io.github.spencerpark.ijava.IJava";

    private static volatile Object kernel;

    private Bridge() {
    }

    /**
     * Registers all renderers with a kernel, makes it the one that {@link #display} writes to, and sets up its JVM for
     * notebooks: no screen, and numbers formatted alike in every country.
     */
    static synchronized void install(Object kernel) throws ReflectiveOperationException {
        if (kernel == Bridge.kernel) {
            return;
        }
        // Without this macOS shows an application window's icon, and a dead DISPLAY fails, at the first figure.
        if (System.getProperty("java.awt.headless") == null) {
            System.setProperty("java.awt.headless", "true");
        }
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);

        Object renderer = call(kernel, "getRenderer");
        ClassLoader loader = renderer.getClass().getClassLoader();
        String display = renderer.getClass().getPackageName();
        Class<?> function = Class.forName(display + ".RenderFunction", true, loader);
        Class<?> mimeType = Class.forName(display + ".mime.MIMEType", true, loader);
        for (Map.Entry<Class<?>, Map<String, Function<Object, String>>> entry : Renderers.all().entrySet()) {
            Map<String, Function<Object, String>> byMime = entry.getValue();
            InvocationHandler render = (proxy, method, arguments) -> method.getDeclaringClass() == function
                    ? render(byMime, arguments[0], arguments[1], mimeType)
                    : method.invoke(byMime, arguments);
            Object registration = call(renderer, "createRegistration", Class.class, entry.getKey());
            call(registration, "preferring", String[].class, byMime.keySet().toArray(String[]::new));
            call(registration, "register", function, Proxy.newProxyInstance(loader, new Class<?>[] {function}, render));
        }
        adapt(kernel);
        Bridge.kernel = kernel;
    }

    /**
     * Mends two things that JupyterLab makes of a kernel. It writes all that the kernel says of its language into the notebook, so that
     * opening a chapter would change the file, and differently with each JDK: let the kernel say what the chapters hold. And it shows
     * errors on a ground of red, in the dark theme dark, where bold red cannot be read: let them be bold in the theme's own colour.
     */
    private static void adapt(Object kernel) throws ReflectiveOperationException {
        try {
            Object language = call(kernel, "getLanguageInfo");
            set(language, "name", "java");
            for (String extra : new String[] {"version", "pygmentsLexer", "codemirrorMode"}) {
                set(language, extra, null);
            }
            Object styler = field(kernel, "errorStyler").get(kernel);
            set(styler, "secondaryStyle", field(styler, "primaryStyle").get(styler));
        } catch (NoSuchFieldException | InaccessibleObjectException builtOtherwise) {
            // A comfort, no more: a kernel of another version stays as it is.
        }
    }

    private static Field field(Object on, String name) throws NoSuchFieldException {
        for (Class<?> type = on.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new NoSuchFieldException(name);
    }

    private static void set(Object on, String name, Object value) throws ReflectiveOperationException {
        field(on, name).set(on, value);
    }

    /** Forgets a kernel that ends. */
    static synchronized void uninstall(Object kernel) {
        if (kernel == Bridge.kernel) {
            Bridge.kernel = null;
        }
    }

    private static Object render(Map<String, Function<Object, String>> byMime, Object value, Object context,
            Class<?> mimeType) throws ReflectiveOperationException {
        Method parse = mimeType.getMethod("parse", String.class);
        Method renderIfRequested = context.getClass().getMethod("renderIfRequested", mimeType, Supplier.class);
        for (Map.Entry<String, Function<Object, String>> as : byMime.entrySet()) {
            Supplier<Object> data = () -> as.getValue().apply(value);
            invoke(renderIfRequested, context, parse.invoke(null, as.getKey()), data);
        }
        return null;
    }

    /** Registers with a running IJava kernel, which looks for no extension and so must be asked for. */
    static void installInIJava() throws ReflectiveOperationException {
        Class<?> ijava;
        try {
            ijava = Class.forName(IJAVA);
        } catch (ClassNotFoundException notIJava) {
            return;
        }
        Object running = invoke(ijava.getMethod("getKernelInstance"), null);
        if (running != null) {
            install(running);
        }
    }

    /** Displays a value in the kernel after all that was printed before; false if there is no kernel. */
    static boolean display(Object value) {
        return display(value, null);
    }

    /** The same, under an id by which {@link #update} finds it, if that is not null. */
    static boolean display(Object value, String id) {
        Object to = kernel;
        if (to == null) {
            return false;
        }
        System.out.flush();
        System.err.flush();
        try {
            Object data = call(call(to, "getRenderer"), "render", Object.class, value);
            if (id != null) {
                call(data, "setDisplayId", String.class, id);
            }
            call(to, "display", data.getClass(), data);
            return true;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this kernel cannot display a value: " + e, e);
        }
    }

    /** Puts a value in the place of the one displayed under this id; nothing if there is no kernel. */
    static void update(Object value, String id) {
        Object to = kernel;
        if (to == null) {
            return;
        }
        try {
            Object data = call(call(to, "getRenderer"), "render", Object.class, value);
            Object io = call(to, "getIO");
            Object stream = io.getClass().getField("display").get(io);
            invoke(stream.getClass().getMethod("updateDisplay", String.class, data.getClass()), stream, id, data);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this kernel cannot update what it displayed: " + e, e);
        }
    }

    private static Object call(Object on, String method) throws ReflectiveOperationException {
        return invoke(on.getClass().getMethod(method), on);
    }

    private static Object call(Object on, String method, Class<?> type, Object argument)
            throws ReflectiveOperationException {
        return invoke(on.getClass().getMethod(method, type), on, argument);
    }

    /** Invokes a method and lets its own exception out, so that a reader sees what went wrong and not how it was called. */
    private static Object invoke(Method method, Object on, Object... arguments) throws ReflectiveOperationException {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw e;
        }
    }
}
