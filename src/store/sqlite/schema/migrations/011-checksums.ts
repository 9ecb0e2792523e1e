/**
 * Checksums (CRC-32) that tell when a row has changed on the medium; null in rows of before. That of `message` covers the
 * summary. That of `content` covers the id of its message, the addresses and the sizes; its frames carry their own.
 */
export const checksums = `
alter table message add column checksum integer;
alter table content add column checksum integer;
`;
