/**
 * Checksums (CRC-32) that detect changes of rows on disk; null in older rows. That of `message` covers the summary. That of
 * `content` covers the id of its message, the addresses and the sizes; its frames have their own.
 */
export const checksums = `
alter table message add column checksum integer;
alter table content add column checksum integer;
`;
