package dht.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests which files of a data directory are logs. The names are persistent: a log with another name
 * is not replayed.
 */
class LogFilesTest {
    @ParameterizedTest
    @CsvSource({"1,00000001", "99999999,99999999", "123456789,123456789"})
    void name_ofANumber_hasAtLeastEightDigitsAndIsReadBack(long number, String stem) {
        assertThat(LogFiles.name(number)).isEqualTo(stem + ".log");
        assertThat(LogFiles.newName(number)).isEqualTo(stem + ".log.new");
        assertThat(LogFiles.number(stem + ".log")).hasValue(number);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "log",
                ".log",
                "1.log",
                "000000001.log",
                "00000001.sst",
                "00000001.log.new",
                "0000000x.log",
                "1234567890123456789.log",
                "MANIFEST"
            })
    void number_ofAnotherFile_isNone(String name) {
        assertThat(LogFiles.number(name)).isEmpty();
    }
}
