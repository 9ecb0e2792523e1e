/** Templates of a folder as mails of a service: a new rendering takes the place of the former one. */
import { NotFoundError } from "../../client/errors.ts";
import type { Clock } from "../../core/clock.ts";
import { composeTemplate } from "../../templates/compose-template.ts";
import { type RenderedCase, renderFolder, localPartOf, shownPath } from "./rendered-folder.ts";
import type { TemplateService } from "./template-service.ts";

/** Case that is shown. */
interface Shown {
  /** Id of its message. */
  readonly message: string;
  /** Rendered content, or the text of the error. */
  readonly content: string;
}

/** Dependencies of {@link ShownTemplates}. */
export interface ShownTemplatesOptions {
  readonly folder: string;
  readonly service: Pick<TemplateService, "client" | "deliver" | "addressOf" | "url" | "server">;
  readonly clock: Clock;
  /** Receives a line for each case that changed, and each error. */
  readonly report: (line: string) => void;
}

/** Templates of a folder, shown in a service. */
export class ShownTemplates {
  readonly #options: ShownTemplatesOptions;
  readonly #shown = new Map<string, Shown>();
  #running: Promise<void> | null = null;
  #isAsked = false;

  constructor(options: ShownTemplatesOptions) {
    this.#options = options;
  }

  /**
   * Shows the present state of the folder. Called while it runs, it runs once more. Errors of templates are reported and shown
   * in the place of the mail, others are reported; it never rejects.
   */
  async update(): Promise<void> {
    this.#isAsked = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isAsked) {
      this.#isAsked = false;
      try {
        await this.#show();
      } catch (error) {
        this.#options.report(error instanceof Error ? error.message : String(error));
      }
    }
  }

  async #show(): Promise<void> {
    const { folder, clock, service } = this.#options;
    const { config, cases } = await renderFolder(folder, { clock, addressOf: service.addressOf, filter: "" });
    for (const one of cases) {
      const { template } = one;
      const content = one.mail?.content ?? failureText(folder, one);
      const former = this.#shown.get(template.id);
      if (former?.content === content) continue;
      const raw = one.mail?.raw ?? (await this.#errorMail(one, content, config));
      const message = await service.deliver(localPartOf(template), raw);
      this.#shown.set(template.id, { message, content });
      this.#report(one, message, content);
      if (former !== undefined) await this.#remove(former);
    }
    const ids = new Set(cases.map(({ template }) => template.id));
    for (const [id, former] of this.#shown) {
      if (ids.has(id)) continue;
      this.#shown.delete(id);
      await this.#remove(former);
    }
  }

  async #errorMail(
    { template }: RenderedCase,
    text: string,
    config: Parameters<typeof composeTemplate>[0]["config"],
  ): Promise<Uint8Array> {
    const { folder, service, clock } = this.#options;
    const rendered = { kind: "rendered", html: null, text, subject: `Error: ${template.id}`, fields: {} } as const;
    const to = service.addressOf(localPartOf(template));
    return (await composeTemplate({ folder, template, config, rendered, to, date: clock.now() })).raw;
  }

  #report({ template, mail, missingImages }: RenderedCase, message: string, content: string): void {
    const { folder, service, report } = this.#options;
    if (mail === null) {
      report(content);
      return;
    }
    report(`${template.id}  ${service.url}/servers/${service.server}/messages/${message}`);
    const path = shownPath(folder, (template.html ?? template.text)?.path ?? template.id);
    for (const image of missingImages) report(`${path}: The image ${image} is not in the folder`);
  }

  /** Deletes the former message of a case. */
  async #remove({ message }: Shown): Promise<void> {
    try {
      await this.#options.service.client.messages.delete(message);
    } catch (error) {
      // Its user deleted it in the web UI.
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
}

/** Returns the error of a case, with path, line and column as editors and terminals make links of; "" without an error. */
function failureText(folder: string, { failure }: Pick<RenderedCase, "failure">): string {
  if (failure === null) return "";
  const { file, line, column, message } = failure;
  const place = [shownPath(folder, file), line, line === null ? null : column].filter((one) => one !== null);
  return `${place.join(":")}: ${message}`;
}
