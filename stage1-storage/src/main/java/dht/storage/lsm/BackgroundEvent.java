package dht.storage.lsm;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/**
 * A round of background work in a flight recording, such as flushes or compactions. Only a
 * recording that asks for this event by its name gets it.
 */
@Name(BackgroundEvent.NAME)
@Label("Background work")
@Description("A round of background work of the storage")
@Category({"Workbook"})
@StackTrace(false)
@Threshold("1 ms")
@Enabled(false)
final class BackgroundEvent extends Event {
    static final String NAME = "dht.BackgroundWork";

    @Label("Work")
    String work;

    BackgroundEvent(String work) {
        this.work = work;
        begin();
    }
}
