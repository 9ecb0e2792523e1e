/** Names of standards, formats and products, which mix capitals and digits as codes do. */

/** Beginnings of families of names. */
const families =
  "AES ARM ASCII B2 BASE BLAKE C2 CRC CVE DDR DES DVB EAP EC2 ECMA ED EIA EN ES FAT FIDO GPT GTX H HDMI HMAC HTTP I18 I2 " +
  "IEC IEEE IMAP IPV ISO ITU JIS JPEG JSR K8 KOI L10 L2 L3 LTE LZ M2 MD MIL MP MPEG MSCHAPV NIST NTLMV NVME OAUTH P2 PBKDF PCI " +
  "PCIE PKCS POP RC RFC RIPEMD RS RSA RTX S2 S3 SHA SHAKE SMBV SNMPV SOCKS SSLV TLSV UCS USB UTF W3 WPA X X86 XC Y2";

/** A family, a number, and letters or another number behind it: `SHA3512`, `AES256GCM`, `UTF16LE`, `L2CAP`, `X509V3`. */
const ofFamily = new RegExp(`^(?:${families.replaceAll(" ", "|")})\\d{0,5}(?:[A-Z]{1,6}\\d{0,4})?$`);

/** Returns whether a word of capitals and digits may name a standard or a product; three of 100 random codes do. */
export function mayBeIdentifier(word: string): boolean {
  return ofFamily.test(word);
}
