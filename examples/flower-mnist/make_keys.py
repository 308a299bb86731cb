"""Keys and certificates for a federation, as `python make_keys.py keys 8 127.0.0.1` makes them.

Writes into a folder the certificate of an authority of its own (`ca.crt`), the SuperLink's
certificate and key (`server.crt`, `server.key`) for the given addresses, and for each SuperNode
a key pair (`node-0`, `node-0.pub`, …). Files that are there are never written over. The
authority's key is thrown away: whoever needs another server certificate makes all anew.
"""

import argparse
import datetime
import ipaddress
import os
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_VALID = datetime.timedelta(days=365)


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("num_nodes", type=int)
    parser.add_argument("addresses", nargs="+", help="of the SuperLink: names or IP addresses")
    given = parser.parse_args()
    try:
        make_keys(given.folder, given.num_nodes, given.addresses)
    except FileExistsError as error:
        parser.error(f"{error.filename} is there already; choose another folder")
    print(f"{given.folder}: ca.crt, server.crt, server.key and {given.num_nodes} nodes' keys")


def make_keys(folder: Path, num_nodes: int, addresses: list[str]) -> None:
    """All files of a federation."""
    folder.mkdir(parents=True, exist_ok=True)
    authority = ec.generate_private_key(ec.SECP384R1())
    issuer = _name("PipeFL federation authority")
    root = _certificate(issuer, issuer, authority, authority, _for_authority(authority))
    server = ec.generate_private_key(ec.SECP384R1())
    certificate = _certificate(
        _name(addresses[0]), issuer, server, authority, _for_server(authority, addresses)
    )
    _write(folder / "ca.crt", _pem(root))
    _write(folder / "server.crt", _pem(certificate))
    _write(folder / "server.key", _private(server, serialization.PrivateFormat.PKCS8), secret=True)
    for node in range(num_nodes):
        key = ec.generate_private_key(ec.SECP384R1())
        public = key.public_key().public_bytes(
            serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
        )
        _write(
            folder / f"node-{node}",
            _private(key, serialization.PrivateFormat.OpenSSH),
            secret=True,
        )
        _write(folder / f"node-{node}.pub", public + b"\n")


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    extensions: list[tuple[x509.ExtensionType, bool]],
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + _VALID)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    return builder.sign(signer, hashes.SHA384())


def _for_authority(key: ec.EllipticCurvePrivateKey) -> list[tuple[x509.ExtensionType, bool]]:
    usage = _usage(key_cert_sign=True, digital_signature=False)
    return [(x509.BasicConstraints(ca=True, path_length=0), True), (usage, True)]


def _for_server(
    authority: ec.EllipticCurvePrivateKey, addresses: list[str]
) -> list[tuple[x509.ExtensionType, bool]]:
    signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key())
    names = x509.SubjectAlternativeName([_address(each) for each in addresses])
    usage = _usage(key_cert_sign=False, digital_signature=True)
    purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    ends = x509.BasicConstraints(ca=False, path_length=None)
    return [(ends, True), (usage, True), (purpose, False), (signer, False), (names, False)]


def _usage(*, key_cert_sign: bool, digital_signature: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=key_cert_sign,
        crl_sign=key_cert_sign,
        encipher_only=False,
        decipher_only=False,
    )


def _address(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _private(key: ec.EllipticCurvePrivateKey, form: serialization.PrivateFormat) -> bytes:
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


def _write(path: Path, data: bytes, *, secret: bool = False) -> None:
    """A new file; a secret one is its owner's alone from the first byte on."""
    mode = 0o600 if secret else 0o644
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
