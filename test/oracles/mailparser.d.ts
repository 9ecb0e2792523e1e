/** Types of mailparser, which has none of its own, as far as tests use it. */
declare module "mailparser" {
  interface Mailbox {
    readonly name: string;
    readonly address?: string;
    readonly group?: readonly Mailbox[];
  }
  interface AddressField {
    readonly value: readonly Mailbox[];
  }
  interface ParsedAttachment {
    readonly contentType: string;
    readonly filename?: string;
    readonly cid?: string;
    readonly content: Buffer;
  }
  interface ParsedMail {
    readonly subject?: string;
    readonly from?: AddressField;
    readonly to?: AddressField | readonly AddressField[];
    readonly cc?: AddressField | readonly AddressField[];
    readonly text?: string;
    readonly html?: string | false;
    readonly attachments: readonly ParsedAttachment[];
  }
  export function simpleParser(raw: Buffer, options: Readonly<Record<string, boolean>>): Promise<ParsedMail>;
}
