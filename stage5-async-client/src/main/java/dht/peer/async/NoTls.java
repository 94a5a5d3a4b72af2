package dht.peer.async;

import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * A TLS context that cannot be used. Nodes communicate without TLS, but the JDK's HTTP client
 * always asks for the parameters of a context. The JDK's own context would load its providers,
 * ciphers and curves at each start. Each method throws {@link UnsupportedOperationException},
 * except for the parameters, which allow nothing. Stateless.
 */
final class NoTls extends SSLContextSpi {
    private NoTls() {}

    static SSLContext context() {
        return new SSLContext(new NoTls(), null, "none") {};
    }

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("nodes communicate without TLS");
    }

    @Override
    protected SSLParameters engineGetDefaultSSLParameters() {
        return new SSLParameters(new String[0], new String[0]);
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
        return engineGetDefaultSSLParameters();
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {
        throw unsupported();
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
        throw unsupported();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
        throw unsupported();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
        throw unsupported();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
        throw unsupported();
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
        throw unsupported();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
        throw unsupported();
    }
}
