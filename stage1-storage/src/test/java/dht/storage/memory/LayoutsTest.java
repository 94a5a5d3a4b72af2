package dht.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayoutsTest {
    @ParameterizedTest
    @CsvSource({"0,0", "1,8", "7,8", "8,8", "9,16", "4294967297,4294967304"})
    void align8_anySize_isTheLeastMultipleThatHoldsIt(long bytes, long aligned) {
        assertThat(Layouts.align8(bytes)).isEqualTo(aligned);
    }
}
