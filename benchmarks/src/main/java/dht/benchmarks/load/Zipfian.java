package dht.benchmarks.load;

/**
 * Ranks whose probability falls with a power of the rank: rank r is chosen with a probability
 * proportional to 1 / (r + 1)^exponent. No table, and on average less than two random numbers a
 * rank.
 *
 * <p>Rejection-inversion: W. Hörmann and G. Derflinger, Rejection-inversion to generate variates
 * from monotone discrete distributions, ACM Transactions on Modeling and Computer Simulation 6 (3),
 * 1996. The names are the paper's: h is the density, H its integral.
 *
 * <p>Not thread-safe.
 */
final class Zipfian {
    private final long count;
    private final double exponent;
    private final CombinedRandom random;
    private final double integralOfFirst;
    private final double integralOfLast;
    private final double squeeze;

    /**
     * @param count of the ranks, at least 1
     * @param exponent above 0, but not 1
     */
    Zipfian(long count, double exponent, CombinedRandom random) {
        this.count = count;
        this.exponent = exponent;
        this.random = random;
        this.integralOfFirst = integral(1.5) - 1;
        this.integralOfLast = integral(count + 0.5);
        this.squeeze = 2 - inverse(integral(2.5) - density(2));
    }

    /** A rank from 0, the most likely, to count − 1. */
    long next() {
        while (true) {
            double u = integralOfLast + random.next() * (integralOfFirst - integralOfLast);
            double x = inverse(u);
            double k = Math.min(Math.max(Math.floor(x + 0.5), 1), count);
            if (k - x <= squeeze || u >= integral(k + 0.5) - density(k)) {
                return (long) k - 1;
            }
        }
    }

    private double density(double x) {
        return Math.pow(x, -exponent);
    }

    private double integral(double x) {
        return Math.pow(x, 1 - exponent) / (1 - exponent);
    }

    private double inverse(double y) {
        return Math.pow((1 - exponent) * y, 1 / (1 - exponent));
    }
}
