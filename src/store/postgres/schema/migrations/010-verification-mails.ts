/** When the owner of an address was last asked; outlives the address, so that removing it does not lift the limit. */
export const verificationMails = `
create table verification_mail (
  address_folded text collate "C" primary key,
  asked_at double precision not null
);
`;
