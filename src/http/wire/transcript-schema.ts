/** Schemas of transcripts; the compiler compares each with its type. */
import { build, orNull, refer, schemaOf, type WireSchema } from "../../core/schema.ts";
import type { ShownTranscript, ShownTranscriptEntry } from "../../operations/messages/get-transcript.ts";

/** Schema of an entry of a transcript. */
export const transcriptEntrySchema: WireSchema<ShownTranscriptEntry> = schemaOf<ShownTranscriptEntry>()(
  build.object(
    {
      at: build.integer({ description: "Milliseconds since the start of the session." }),
      from: build.enum(["client", "server", "service"], {
        description: "Speaker; `service` for notes about what is not on the wire, or left out.",
      }),
      text: build.string({ description: "Line without its line end; secrets are masked." }),
      pipelined: build.boolean({ description: "Whether the command arrived before the reply to the previous one." }),
    },
    { $id: "TranscriptEntry" },
  ),
);

/** Schema of the transcript of a session. */
export const transcriptSchema: WireSchema<ShownTranscript> = schemaOf<ShownTranscript>()(
  build.object(
    {
      message: build.string({ description: "Id of the message." }),
      protocol: build.string({
        description:
          "Protocol as in trace fields, such as `ESMTPSA` (RFC 3848), or the version of HTTP, such as `HTTP/1.1`.",
      }),
      clientAddress: build.string({ description: "IP address of the client." }),
      tls: orNull(build.string({ description: "TLS protocol and cipher, or `TLS` for HTTP; null without TLS." })),
      startedAt: build.string({ format: "date-time", description: "Start of the session, UTC." }),
      entries: build.array(refer(transcriptEntrySchema), { description: "Commands and replies, in order." }),
    },
    { $id: "Transcript" },
  ),
);
