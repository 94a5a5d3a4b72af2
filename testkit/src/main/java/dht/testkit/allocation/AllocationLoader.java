package dht.testkit.allocation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.Arena;
import java.net.URL;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * A class loader that loads this project's classes again and changes them: they call {@link
 * Allocations#pass} before each allocation. An allocation is an object, an array or a closure that
 * a class creates, or a call of a JDK method that may create one. Each arena that a class creates
 * is passed to {@link Allocations#watch}.
 *
 * <p>Static initializers are not changed: after a failed initializer, a class can never be used, so
 * there would be nothing to test. Thread-safe, as every class loader.
 */
public final class AllocationLoader extends ClassLoader {
    private static final String LOADED_HERE = "dht.";
    private static final ClassDesc HOOK = ClassDesc.of(Allocations.class.getName());
    private static final MethodTypeDesc NOTHING = MethodTypeDesc.ofDescriptor("()V");
    private static final ClassDesc ARENA = ClassDesc.of(Arena.class.getName());
    private static final MethodTypeDesc WATCH = MethodTypeDesc.of(ARENA, ARENA);
    private static final MethodTypeDesc RECORD =
            MethodTypeDesc.ofDescriptor("(Ljava/lang/Object;)V");

    /** Passes each object to {@link Allocations#record} when its constructor returns. */
    private static final CodeTransform RECORDING =
            (CodeBuilder builder, CodeElement element) -> {
                if (element instanceof ReturnInstruction) {
                    builder.aload(0).invokestatic(HOOK, "record", RECORD);
                }
                builder.with(element);
            };

    /**
     * Classes of the JDK whose methods allocate nothing, or handle a failed allocation themselves.
     */
    private static final Set<String> HARMLESS_OWNERS =
            Set.of(
                    "java/lang/Object",
                    "java/lang/Math",
                    "java/lang/System",
                    "java/lang/Thread",
                    "java/lang/Runnable",
                    "java/lang/AutoCloseable",
                    "java/lang/invoke/VarHandle",
                    "java/util/concurrent/Callable",
                    "java/util/concurrent/CountDownLatch",
                    "java/util/concurrent/Executor",
                    "java/util/concurrent/TimeUnit");

    private static final Set<String> HARMLESS_PREFIXES =
            Set.of(
                    "java/util/concurrent/locks/",
                    "java/util/concurrent/atomic/",
                    "java/util/function/");

    /**
     * What the compiler calls for a {@code switch} over types, and for {@code equals} and {@code
     * hashCode} of a record. {@code toString} of a record is not counted either.
     */
    private static final Set<String> HARMLESS_BOOTSTRAPS =
            Set.of("SwitchBootstraps", "ObjectMethods");

    private static final Set<String> HARMLESS_METHODS =
            Set.of(
                    "get",
                    "set",
                    "fill",
                    "size",
                    "isEmpty",
                    "byteSize",
                    "getFirst",
                    "getLast",
                    "contains",
                    "remove",
                    "poll",
                    "pollFirst",
                    "pollLast",
                    "peekFirst",
                    "removeFirst",
                    "removeLast",
                    "requireNonNull", // The compiler calls it for a switch over types.
                    "run",
                    "close",
                    "compare",
                    "compareUnsigned",
                    "getAsLong",
                    "test",
                    "isNegative",
                    "toNanos",
                    "update",
                    "getValue",
                    "shutdownInput",
                    "shutdownOutput");

    /** Allocates only if it fails. */
    private static final String FORCE = "java/lang/foreign/MemorySegment.force";

    private final Set<String> hookedLocations;
    private final Set<String> recordedClasses;
    private final ClassFile classFile;

    /**
     * @param hooked one of the classes to change; all classes of the same folder or jar are changed
     */
    public AllocationLoader(Class<?> hooked) {
        this(List.of(hooked), List.of());
    }

    /**
     * @param hooked the classes to change, one of each folder or jar: all classes of these folders
     *     and jars are changed
     * @param recorded classes among them whose objects are passed to {@link Allocations#record}
     */
    public AllocationLoader(List<Class<?>> hooked, List<Class<?>> recorded) {
        super(hooked.getFirst().getClassLoader());
        this.classFile = classFile(hooked.getFirst().getClassLoader());
        this.hookedLocations =
                hooked.stream().map(AllocationLoader::location).collect(Collectors.toSet());
        this.recordedClasses =
                recorded.stream().map(Class::getName).collect(Collectors.toUnmodifiableSet());
    }

    private static String location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    /**
     * Reads class files, and asks the given loader how classes are related. The default would be
     * the application's loader, which may not know them.
     */
    private static ClassFile classFile(ClassLoader loader) {
        ClassHierarchyResolver resolver =
                ClassHierarchyResolver.ofResourceParsing(loader)
                        .orElse(ClassHierarchyResolver.defaultResolver())
                        .cached();
        return ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(resolver));
    }

    /**
     * Loads a class with this loader and creates an object of it.
     *
     * @param scenario a class with one constructor, which has no parameters
     */
    public LongConsumer newScenario(Class<? extends LongConsumer> scenario)
            throws ReflectiveOperationException {
        var constructor = loadClass(scenario.getName()).getDeclaredConstructor();
        constructor.setAccessible(true);
        return (LongConsumer) constructor.newInstance();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(LOADED_HERE)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        URL resource = getParent().getResource(name.replace('.', '/') + ".class");
        if (resource == null) {
            throw new ClassNotFoundException(name);
        }
        byte[] bytes = read(resource);
        if (hookedLocations.stream().anyMatch(resource.getPath()::contains)) {
            bytes = hook(bytes, recordedClasses.contains(name));
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private static byte[] read(URL resource) {
        try (InputStream content = resource.openStream()) {
            return content.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read class: " + resource, e);
        }
    }

    private byte[] hook(byte[] bytes, boolean isRecorded) {
        ClassModel model = classFile.parse(bytes);
        ClassTransform hooked =
                ClassTransform.transformingMethodBodies(
                        (MethodModel method) -> !method.methodName().equalsString("<clinit>"),
                        countingAllocations());
        ClassTransform recording =
                ClassTransform.transformingMethodBodies(
                        (MethodModel method) -> method.methodName().equalsString("<init>"),
                        RECORDING);
        return classFile.transformClass(model, isRecorded ? hooked.andThen(recording) : hooked);
    }

    private static CodeTransform countingAllocations() {
        return (CodeBuilder builder, CodeElement element) -> {
            if (mayAllocate(element)) {
                builder.invokestatic(HOOK, "pass", NOTHING);
            }
            builder.with(element);
            if (makesArena(element)) {
                builder.invokestatic(HOOK, "watch", WATCH);
            }
        };
    }

    private static boolean makesArena(CodeElement element) {
        return element instanceof InvokeInstruction call
                && call.owner().asInternalName().equals("java/lang/foreign/Arena")
                && call.typeSymbol().returnType().equals(ARENA);
    }

    private static boolean mayAllocate(CodeElement element) {
        return switch (element) {
            case NewObjectInstruction _ -> true;
            case NewPrimitiveArrayInstruction _ -> true;
            case NewReferenceArrayInstruction _ -> true;
            case NewMultiArrayInstruction _ -> true;
            case InvokeDynamicInstruction closure ->
                    !HARMLESS_BOOTSTRAPS.contains(closure.bootstrapMethod().owner().displayName());
            case InvokeInstruction call ->
                    mayAllocate(call.owner().asInternalName(), call.name().stringValue());
            default -> false;
        };
    }

    private static boolean mayAllocate(String owner, String method) {
        return owner.startsWith("java/")
                && !method.equals("<init>") // The object was counted when it was made.
                && !HARMLESS_OWNERS.contains(owner)
                && !HARMLESS_METHODS.contains(method)
                && !FORCE.equals(owner + '.' + method)
                && HARMLESS_PREFIXES.stream().noneMatch(owner::startsWith);
    }
}
