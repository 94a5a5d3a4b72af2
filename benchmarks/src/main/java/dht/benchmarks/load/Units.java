package dht.benchmarks.load;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Numbers with the units that wrk2 gives them: the next greater one from 0.85 of it on. */
final class Units {
    private static final double SWITCH = 0.85;
    private static final double MICROS_PER_SECOND = 1e6;

    private Units() {}

    /** 12.30us, 1.50ms, 2.00s, 1.00m. */
    static String micros(double micros) {
        return micros >= MICROS_PER_SECOND
                ? text(micros / MICROS_PER_SECOND, 60, 2, "s", "m")
                : text(micros, 1000, 2, "us", "ms");
    }

    /** 10s, 1m. */
    static String seconds(double seconds) {
        return text(seconds, 60, 0, "s", "m");
    }

    /** 658.18, 4.80k. */
    static String metric(double number) {
        return text(number, 1000, 2, "", "k", "M", "G", "T");
    }

    /** 1.50K, 3.20M; to be followed by a B. */
    static String binary(double bytes) {
        return text(bytes, 1024, 2, "", "K", "M", "G", "T");
    }

    private static String text(double number, int scale, int decimals, String... units) {
        double amount = number;
        int unit = 0;
        while (unit + 1 < units.length && amount >= scale * SWITCH) {
            amount /= scale;
            unit++;
        }
        return fixed(amount, decimals) + units[unit];
    }

    /** As C prints it. */
    static String fixed(double number, int decimals) {
        if (Double.isNaN(number)) {
            return "-nan";
        }
        if (Double.isInfinite(number)) {
            return "inf";
        }
        return new BigDecimal(number).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
    }
}
