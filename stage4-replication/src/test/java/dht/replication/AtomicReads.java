package dht.replication;

import dht.storage.TimestampClock;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.concurrent.Callable;

/**
 * Lets another thread work just after a {@link TimestampClock} has read its {@code AtomicLong}. So
 * a test sees whether the clock relies on a number that is no longer right. It need not hope that
 * two threads meet in the right place.
 *
 * <p>The clock is loaded anew for it, with a call of {@link #made} behind each instruction that
 * reads an {@code AtomicLong}. One thread uses it; each scenario has a copy of this class for
 * itself.
 */
public final class AtomicReads {
    private static Thread reader;
    private static int readsBefore;
    private static Runnable others;
    private static Thread other;

    private AtomicReads() {}

    /** Runs a scenario, which may call {@link #after}, in classes that are loaded anew for it. */
    static void replay(Class<? extends Callable<?>> scenario) throws Exception {
        var constructor = new Loader().loadClass(scenario.getName()).getDeclaredConstructor();
        constructor.setAccessible(true);
        ((Callable<?>) constructor.newInstance()).call();
    }

    /**
     * Runs code, and lets another thread work after one of its reads. The code goes on when the
     * other thread has ended or waits, for example for a lock of the code.
     *
     * @param read which one, from 0
     * @return whether there was such a read; if not, the other thread has done nothing
     */
    static boolean after(int read, Runnable code, Runnable work) throws InterruptedException {
        reader = Thread.currentThread();
        readsBefore = read;
        others = work;
        other = null;
        code.run();
        others = null;
        if (other == null) {
            return false;
        }
        other.join();
        return true;
    }

    /** Called after each read. */
    public static void made() {
        if (Thread.currentThread() != reader || others == null || readsBefore-- > 0) {
            return;
        }
        other = Thread.ofPlatform().start(others);
        others = null;
        while (other.isAlive() && !isWaiting(other)) {
            Thread.yield();
        }
    }

    private static boolean isWaiting(Thread thread) {
        return switch (thread.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            case NEW, RUNNABLE, TERMINATED -> false;
        };
    }

    private static final class Loader extends ClassLoader {
        private static final String SCENARIOS = AtomicReads.class.getPackageName() + ".";
        private static final String CLOCK = TimestampClock.class.getName();
        private static final ClassDesc READS = AtomicReads.class.describeConstable().orElseThrow();

        Loader() {
            super(AtomicReads.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(CLOCK) && !name.startsWith(SCENARIOS)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            String resource = name.replace('.', '/') + ".class";
            try (InputStream file = getResourceAsStream(resource)) {
                byte[] bytes = file.readAllBytes();
                byte[] defined = name.equals(CLOCK) ? withCalls(bytes) : bytes;
                return defineClass(name, defined, 0, defined.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        private static byte[] withCalls(byte[] bytes) {
            ClassFile files = ClassFile.of();
            return files.transformClass(
                    files.parse(bytes),
                    ClassTransform.transformingMethodBodies(
                            (code, instruction) -> {
                                code.with(instruction);
                                if (isRead(instruction)) {
                                    code.invokestatic(
                                            READS, "made", MethodTypeDesc.ofDescriptor("()V"));
                                }
                            }));
        }

        /** {@code get}, {@code getPlain} and the like. */
        private static boolean isRead(CodeElement instruction) {
            return instruction instanceof InvokeInstruction call
                    && call.owner()
                            .asInternalName()
                            .equals("java/util/concurrent/atomic/AtomicLong")
                    && call.name().stringValue().startsWith("get")
                    && call.type().equalsString("()J");
        }
    }
}
