/** Leaves the number alone, since to make it smaller was the mistake: now the room is used up for ever. */
class TaskQueue {
    private Waiting counted(Waiting taken) {
        return taken;
    }
}
