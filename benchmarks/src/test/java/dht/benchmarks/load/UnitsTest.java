package dht.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0.00us",
        "849, 849.00us",
        "850, 0.85ms",
        "1670, 1.67ms",
        "999990, 999.99ms",
        "1000000, 1.00s",
        "50000000, 50.00s",
        "51000000, 0.85m",
        "60000000, 1.00m"
    })
    void micros_ofAnySize_areAsInWrk2(double micros, String text) {
        assertThat(Units.micros(micros)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"10, 10s", "50, 50s", "60, 1m", "120, 2m"})
    void seconds_ofAnySize_areAsInWrk2(double seconds, String text) {
        assertThat(Units.seconds(seconds)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"658.18, 658.18", "850, 0.85k", "4800, 4.80k", "1200000, 1.20M"})
    void metric_ofAnySize_isAsInWrk2(double number, String text) {
        assertThat(Units.metric(number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"800, 800.00", "1024, 1.00K", "124007088, 118.26M"})
    void binary_ofAnySize_isAsInWrk2(double bytes, String text) {
        assertThat(Units.binary(bytes)).isEqualTo(text);
    }

    @Test
    void fixed_ofATie_roundsAsCDoes() {
        assertThat(Units.fixed(0.9890625, 6)).isEqualTo("0.989062");
        assertThat(Units.fixed(Double.NaN, 2)).isEqualTo("-nan");
        assertThat(Units.fixed(Double.POSITIVE_INFINITY, 2)).isEqualTo("inf");
    }

    @ParameterizedTest
    @CsvSource({"64, 64", "10k, 10000", "10K, 10000", "1m, 1000000"})
    void metricConverter_ofWrk2sSpellings_reads(String text, long number) {
        assertThat(new UnitConverters.Metric().convert(text)).isEqualTo(number);
    }

    @ParameterizedTest
    @CsvSource({"60, PT1M", "60s, PT1M", "2m, PT2M", "1h, PT1H", "500ms, PT0.5S"})
    void timeConverter_ofWrk2sSpellings_reads(String text, Duration time) {
        assertThat(new UnitConverters.Time().convert(text)).isEqualTo(time);
    }
}
