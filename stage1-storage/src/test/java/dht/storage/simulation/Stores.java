package dht.storage.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Looks at what a piece of the storage has written, after each single store that it makes: to
 * memory outside the heap, and to fields. So a test sees every state that another thread, or the
 * next process after a crash, may find; it need not hope that two threads meet in the right place.
 *
 * <p>The classes of the storage are loaded once more for it, with a call of {@link #made} behind
 * each instruction that stores. What is seen is the order which the program asks for. That compiler
 * and processor keep to it takes release stores, which no such test can show to be missing.
 *
 * <p>For one thread; each scenario has a copy of this class for itself.
 */
public final class Stores {
    private static final String LOADED_ANEW = "dht.storage.";
    private static final String SIMULATION = Stores.class.getPackageName() + ".";
    private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);

    private static Runnable look;
    private static int count;

    private Stores() {}

    /** Runs a scenario, which may call {@link #each}, in classes that are loaded anew for it. */
    public static void replay(Class<? extends Runnable> scenario) {
        try {
            var constructor = new Loader().loadClass(scenario.getName()).getDeclaredConstructor();
            constructor.setAccessible(true);
            ((Runnable) constructor.newInstance()).run();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Code of a scenario. */
    @FunctionalInterface
    public interface Code {
        void run() throws IOException;
    }

    /**
     * Runs code of a scenario, and looks after each store.
     *
     * @return how many stores there were
     */
    public static int each(Code code, Runnable afterEach) throws IOException {
        count = 0;
        look = afterEach;
        try {
            code.run();
        } finally {
            look = null;
        }
        return count;
    }

    /** Called after each store. */
    public static void made() {
        Runnable looking = look;
        if (looking != null) {
            look = null; // What it does itself is not looked at.
            count++;
            looking.run();
            look = looking;
        }
    }

    private static final class Loader extends ClassLoader {
        private static final ClassDesc STORES = Stores.class.describeConstable().orElseThrow();

        /** The classes are those that this one was loaded with, wherever they come from. */
        Loader() {
            super(Stores.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                return name.startsWith(LOADED_ANEW) ? define(name) : super.loadClass(name, resolve);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            String resource = name.replace('.', '/') + ".class";
            try (InputStream file = getResourceAsStream(resource)) {
                if (file == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = file.readAllBytes();
                byte[] defined = name.startsWith(SIMULATION) ? bytes : withCalls(bytes);
                return defineClass(name, defined, 0, defined.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static byte[] withCalls(byte[] bytes) {
            ClassFile files = ClassFile.of();
            return files.transformClass(
                    files.parse(bytes),
                    ClassTransform.transformingMethodBodies(
                            (code, instruction) -> {
                                code.with(instruction);
                                if (isStore(instruction)) {
                                    code.invokestatic(STORES, "made", NOTHING);
                                }
                            }));
        }

        private static boolean isStore(CodeElement instruction) {
            return switch (instruction) {
                case FieldInstruction field -> field.opcode() == Opcode.PUTFIELD;
                case InvokeInstruction call -> isStore(call);
                default -> false;
            };
        }

        private static boolean isStore(InvokeInstruction call) {
            String method = call.name().stringValue();
            return switch (call.owner().asInternalName()) {
                case "java/lang/foreign/MemorySegment" ->
                        method.startsWith("set")
                                || method.startsWith("copy")
                                || method.equals("fill");
                case "java/lang/invoke/VarHandle" ->
                        method.startsWith("set")
                                || method.startsWith("compareAndSet")
                                || method.startsWith("getAnd");
                default -> false;
            };
        }
    }
}
