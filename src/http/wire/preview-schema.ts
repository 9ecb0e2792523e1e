/** Schemas of previews and email clients, in the form of current libraries and in that of libraries before 2026. */
import type { EmailClientList, Preview, RequestedPreview } from "../../operations/previews/previews.ts";
import { describeEmulation } from "../../previews/email-client.ts";
import { decimal } from "./query.ts";
import { build, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";

const text = build.string();
const pixels = build.integer({ minimum: 1 });

/** Schema of an email client. */
export const emailClientSchema = build.object(
  {
    label: build.string("Name of the email client in requests for previews."),
    name: text,
    group: build.enum(["Desktop", "Mobile", "Web"]),
    platform: text,
    viewport: build.object({ width: pixels, height: pixels }, "Size of the viewport, in CSS pixels."),
    pixelRatio: build.number("Pixels of the image for one CSS pixel."),
    dark: build.enum(
      ["no", "asked", "forced"],
      "Whether the mail sees a dark colour scheme, and whether colours are inverted.",
    ),
    images: build.enum(["shown", "blocked"]),
    emulates: build.string("Features of the email client that a preview emulates."),
    available: build.boolean("Whether this service has a browser to make previews with."),
  },
  { $id: "EmailClient" },
);

/** JSON of an email client; the official libraries read `label` and `name`. */
export type WireEmailClient = ValueOf<typeof emailClientSchema>;

/** Schema of an email client for libraries before 2026. */
export const formerClientSchema = build.object(
  {
    id: text,
    name: text,
    emailClient: text,
    platformGroup: text,
    platformType: text,
    platformVersion: text,
    canDisableImages: build.boolean(),
    status: build.enum(["Available", "Unavailable"]),
  },
  { $id: "FormerEmailClient" },
);

/** JSON of an email client for libraries before 2026, under the names that each of them uses. */
export type WireFormerClient = ValueOf<typeof formerClientSchema>;

/** Schema of a preview. */
export const previewSchema: WireSchema<Preview> = schemaOf<Preview>()(
  build.object(
    {
      id: build.string("Id of the preview, for `GET /api/files/screenshots/{id}`."),
      emailClient: build.string("Label of the email client."),
      disableImages: build.boolean(),
    },
    { $id: "Preview" },
  ),
);

/** Request body that generates previews. */
export const previewRequestSchema = build.partial({
  emailClients: build.array(text, { minItems: 1, maxItems: 50, description: "Labels, 1 to 50." }),
  disableImages: build.boolean("Whether to show no images."),
});

/** JSON of a request for previews. */
export type WirePreviewRequest = ValueOf<typeof previewRequestSchema>;

/** Request body that generates previews, for libraries before 2026. */
export const formerRequestSchema = build.partial({
  previews: build.array(build.partial({ emailClient: text, disableImages: build.boolean() }), {
    minItems: 1,
    maxItems: 50,
  }),
});

/** JSON of a request for previews by libraries before 2026. */
export type WireFormerRequest = ValueOf<typeof formerRequestSchema>;

/** Returns the email clients in their JSON form. */
export function toWireClients({ clients, isAvailable }: EmailClientList): readonly WireEmailClient[] {
  return clients.map((client) => {
    const { label, name, group, platform, viewport, pixelRatio, dark, images } = client;
    const emulates = describeEmulation(client);
    const shown = { label, name, group, platform, viewport, pixelRatio: decimal(pixelRatio), dark, images };
    return { ...shown, emulates, available: isAvailable };
  });
}

/** Returns the email clients for libraries before 2026, each once: there the request disables images. */
export function toFormerClients({ clients, isAvailable }: EmailClientList): readonly WireFormerClient[] {
  return clients
    .filter(({ images }) => images === "shown")
    .map(({ formerId, name, group, platform }) => ({
      id: formerId,
      name,
      emailClient: name,
      platformGroup: group,
      platformType: platform,
      platformVersion: "",
      canDisableImages: true,
      status: isAvailable ? "Available" : "Unavailable",
    }));
}

/** Returns the previews that a request names. */
export function requestedPreviews({
  emailClients = [],
  disableImages = false,
}: WirePreviewRequest): readonly RequestedPreview[] {
  return emailClients.map((emailClient, at) => ({ field: `emailClients[${String(at)}]`, emailClient, disableImages }));
}

/** Returns the previews that a request by a library before 2026 names. */
export function legacyRequestedPreviews({ previews = [] }: WireFormerRequest): readonly RequestedPreview[] {
  return previews.map(({ emailClient = "", disableImages = false }, at) => {
    return { field: `previews[${String(at)}].emailClient`, emailClient, disableImages };
  });
}
