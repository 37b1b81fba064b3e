"""Certificates that the tests make for themselves."""

import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


class Pair:
    """The paths of a certificate and its key, in PEM."""

    def __init__(self, folder, name):
        self.cert, self.key = str(Path(folder) / f"{name}.pem"), str(Path(folder) / f"{name}.key")

    def write(self, certificate, key):
        Path(self.cert).write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        Path(self.key).write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return self

    def settings(self):
        return {"cert": self.cert, "key": self.key}


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Authority:
    """A CA with its files in a folder: `ca` is the path of its certificate."""

    def __init__(self, folder, name="ca"):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.name, self.private = _name(name), ec.generate_private_key(ec.SECP256R1())
        certificate = self._build(name, self.private.public_key(), DAY).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        pair = Pair(folder, name).write(self._sign(certificate), self.private)
        self.ca = pair.cert

    def _build(self, name, public_key, life):
        now = datetime.datetime.now(datetime.timezone.utc)
        return (
            x509.CertificateBuilder()
            .subject_name(_name(name))
            .issuer_name(self.name)
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 2 * DAY)
            .not_valid_after(now + life)
        )

    def _sign(self, builder):
        return builder.sign(self.private, hashes.SHA256())

    def issue(self, name, file=None, life=DAY):
        """For `name` and 127.0.0.1; `life` is what is left of it, and may be negative."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName(name), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        certificate = self._build(name, key.public_key(), life).add_extension(
            x509.SubjectAlternativeName(names), critical=False
        )
        return Pair(self.folder, file or name).write(self._sign(certificate), key)

    def client(self, pair=None, version=None):
        """A client's context that wants certificates of this CA."""
        context = ssl.create_default_context(cafile=self.ca)
        if pair:
            context.load_cert_chain(pair.cert, pair.key)
        if version:
            context.minimum_version = context.maximum_version = version
        return context
