/** For tests alone: a self-signed certificate for localhost and 127.0.0.1, and its key, which everybody knows. */
export const testCertificate: string = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUEyn+XGr2OL2bC/UQu7m6G2GxBeEwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDE0MzAyOVoYDzIxMjYxMDI3
MTQzMDI5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASq6QQ1q525QVo6Ksoad8mBPq/4r5Qcn1h1JpnawrT2eHlTIexCIXcE
xMskr/tEleO4Kzy1vz7CRvK7sDK6IEZoo28wbTAdBgNVHQ4EFgQU3umiT9c1j9YI
G68ugGFs6buyh1IwHwYDVR0jBBgwFoAU3umiT9c1j9YIG68ugGFs6buyh1IwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgaVf4fMOBJa8yGlx6RgJQO54bBrYBWx/fBFd1Yul1T5MCIQCT
bgp7TLg6nBHZQTdK2gMtQZ11r79cfkrGzneUmzvrvQ==
-----END CERTIFICATE-----
`;

/** The key of {@link testCertificate}. */
export const testCertificateKey: string = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqL051+VgeThkR2It
pFzBY/Wnl8azFMEshSUR5Z3V092hRANCAASq6QQ1q525QVo6Ksoad8mBPq/4r5Qc
n1h1JpnawrT2eHlTIexCIXcExMskr/tEleO4Kzy1vz7CRvK7sDK6IEZo
-----END PRIVATE KEY-----
`;
