import type {
  AddPhoneNumberRequest,
  ApprovedPhrases,
  PhoneNumber,
  ReceiveSmsRequest,
  SetApprovedPhrasesRequest,
  UpdatePhoneNumberRequest,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import { withMethods, type ReceivedMessage } from "./received-message.ts";
import type { Transport } from "./transport.ts";

/** SMS, phone numbers, and the phrases that replies consist of. SMS of an application are messages like mail. */
export class Sms {
  readonly #transport: Transport;

  /** Use `client.sms`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Stores an SMS in the server of its number, as a phone would receive it. */
  async receive(fields: ReceiveSmsRequest, options?: RequestOptions): Promise<ReceivedMessage> {
    return withMethods(this.#transport, await this.#transport.call("receiveSms", { body: fields }, options));
  }

  /** Lists the phone numbers of all servers. */
  async numbers(options?: RequestOptions): Promise<readonly PhoneNumber[]> {
    return this.#transport.call("listPhoneNumbers", {}, options);
  }

  /** Adds a phone number to a server. */
  async addNumber(fields: AddPhoneNumberRequest, options?: RequestOptions): Promise<PhoneNumber> {
    return this.#transport.call("addPhoneNumber", { body: fields }, options);
  }

  /** Changes a phone number, named in international form or by its id. */
  async updateNumber(number: string, fields: UpdatePhoneNumberRequest, options?: RequestOptions): Promise<PhoneNumber> {
    return this.#transport.call("updatePhoneNumber", { path: { id: number }, body: fields }, options);
  }

  /** Removes a phone number. */
  async removeNumber(number: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("removePhoneNumber", { path: { id: number } }, options);
  }

  /** Lists the phrases that replies may consist of. */
  async approvedPhrases(options?: RequestOptions): Promise<ApprovedPhrases> {
    return this.#transport.call("getApprovedPhrases", {}, options);
  }

  /** Replaces the phrases that replies may consist of. */
  async setApprovedPhrases(fields: SetApprovedPhrasesRequest, options?: RequestOptions): Promise<ApprovedPhrases> {
    return this.#transport.call("setApprovedPhrases", { body: fields }, options);
  }
}
