/** Last verification message of each address; kept when the address is removed, so that the limit still applies. */
export const verificationMails = `
create table verification_mail (
  address_folded text collate "C" primary key,
  asked_at double precision not null
);
`;
