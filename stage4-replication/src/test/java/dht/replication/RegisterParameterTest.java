package dht.replication;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.http.RequestException;
import dht.http.Status;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegisterParameterTest {
    private static RegisterKind of(String value, RegisterKind usual) throws RequestException {
        return new RegisterParameter(usual).of(value.getBytes(ISO_8859_1));
    }

    @ParameterizedTest
    @EnumSource
    void of_nothing_isTheUsualKind(RegisterKind usual) throws RequestException {
        assertThat(new RegisterParameter(usual).of((byte[]) null)).isEqualTo(usual);
    }

    @ParameterizedTest
    @CsvSource({"regular,ATOMIC,REGULAR", "atomic,REGULAR,ATOMIC"})
    void of_aKind_isThatKind(String value, RegisterKind usual, RegisterKind kind)
            throws RequestException {
        assertThat(of(value, usual)).isEqualTo(kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Atomic", "atomic ", "linearizable"})
    void of_anythingElse_isRefused(String value) {
        assertThatThrownBy(() -> of(value, RegisterKind.REGULAR))
                .isInstanceOfSatisfying(
                        RequestException.class,
                        refused ->
                                assertThat(refused.response().status())
                                        .isEqualTo(Status.BAD_REQUEST));
    }
}
