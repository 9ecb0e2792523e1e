/** Previews and mail programs as the wire shows them: in the shape of today's libraries, and in that of those before 2026. */
import type { WantedPreview, Preview } from "../../operations/generate-previews.ts";
import type { EmailClientList } from "../../operations/list-email-clients.ts";
import { describeEmulation, type EmailClient } from "../../previews/email-client.ts";
import { decimal } from "./decimal.ts";
import { build, schemaOf, type WireSchema } from "./schema.ts";

/** A mail program; the libraries read `label` and `name`. */
export interface WireEmailClient {
  readonly label: string;
  readonly name: string;
  readonly group: EmailClient["group"];
  readonly platform: string;
  readonly viewport: EmailClient["viewport"];
  /** Written with a decimal point. */
  readonly pixelRatio: number;
  readonly dark: EmailClient["dark"];
  readonly images: EmailClient["images"];
  readonly emulates: string;
  readonly available: boolean;
}

/** A mail program as libraries before 2026 read it, under the names that each of them has for it. */
export interface WireFormerClient {
  readonly id: string;
  readonly name: string;
  readonly emailClient: string;
  readonly platformGroup: string;
  readonly platformType: string;
  readonly platformVersion: string;
  readonly canDisableImages: boolean;
  readonly status: "Available" | "Unavailable";
}

/** Body that asks for previews. */
export interface WirePreviewRequest {
  readonly emailClients?: readonly string[];
  readonly disableImages?: boolean;
}

/** Body that asks for previews, from libraries before 2026. */
export interface WireFormerRequest {
  readonly previews?: readonly { readonly emailClient?: string; readonly disableImages?: boolean }[];
}

const text = build.String();
const pixels = build.Integer({ minimum: 1 });

/** A mail program. */
export const emailClientSchema: WireSchema<WireEmailClient> = schemaOf<WireEmailClient>()(
  build.Object(
    {
      label: build.String({ description: "What requests for previews name it by." }),
      name: text,
      group: build.Enum(["Desktop", "Mobile", "Web"]),
      platform: text,
      viewport: build.Object({ width: pixels, height: pixels }, { description: "In CSS pixels." }),
      pixelRatio: build.Number({ description: "Pixels of the picture for one CSS pixel." }),
      dark: build.Enum(["no", "asked", "forced"], {
        description: "Whether the mail is told that dark is preferred, and whether colours are turned as well.",
      }),
      images: build.Enum(["shown", "blocked"]),
      emulates: build.String({ description: "What of the program a preview emulates." }),
      available: build.Boolean({ description: "Whether this service has a browser to make previews with." }),
    },
    { $id: "EmailClient" },
  ),
);

/** A mail program in the older interface. */
export const formerClientSchema: WireSchema<WireFormerClient> = schemaOf<WireFormerClient>()(
  build.Object(
    {
      id: text,
      name: text,
      emailClient: text,
      platformGroup: text,
      platformType: text,
      platformVersion: text,
      canDisableImages: build.Boolean(),
      status: build.Enum(["Available", "Unavailable"]),
    },
    { $id: "FormerEmailClient" },
  ),
);

/** A preview. */
export const previewSchema: WireSchema<Preview> = schemaOf<Preview>()(
  build.Object(
    {
      id: build.String({ description: "Names the preview for `GET /api/files/screenshots/{id}`." }),
      emailClient: build.String({ description: "The label." }),
      disableImages: build.Boolean(),
    },
    { $id: "Preview" },
  ),
);

/** Body that asks for previews. */
export const previewRequestSchema: WireSchema<WirePreviewRequest> = schemaOf<WirePreviewRequest>()(
  build.Object({
    emailClients: build.Optional(build.Array(text, { description: "Labels, 1 to 50." })),
    disableImages: build.Optional(build.Boolean({ description: "Shows no images in any of them." })),
  }),
);

/** Body that asks for previews, in the older interface. */
export const formerRequestSchema: WireSchema<WireFormerRequest> = schemaOf<WireFormerRequest>()(
  build.Object({
    previews: build.Optional(
      build.Array(build.Object({ emailClient: build.Optional(text), disableImages: build.Optional(build.Boolean()) })),
    ),
  }),
);

/** The programs as the wire shows them. */
export function toWireClients({ clients, isAvailable }: EmailClientList): readonly WireEmailClient[] {
  return clients.map((client) => {
    const { label, name, group, platform, viewport, pixelRatio, dark, images } = client;
    const emulates = describeEmulation(client);
    const shown = { label, name, group, platform, viewport, pixelRatio: decimal(pixelRatio), dark, images };
    return { ...shown, emulates, available: isAvailable };
  });
}

/** The programs as the older interface shows them: each once, for there images are switched off by the request. */
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

/** What a request of today's libraries wants. */
export function wantedOf({ emailClients = [], disableImages = false }: WirePreviewRequest): readonly WantedPreview[] {
  return emailClients.map((emailClient, at) => ({ field: `emailClients[${String(at)}]`, emailClient, disableImages }));
}

/** What a request of the older libraries wants. */
export function formerWantedOf({ previews = [] }: WireFormerRequest): readonly WantedPreview[] {
  return previews.map(({ emailClient = "", disableImages = false }, at) => {
    return { field: `previews[${String(at)}].emailClient`, emailClient, disableImages };
  });
}
