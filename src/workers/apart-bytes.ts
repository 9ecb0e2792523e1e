/**
 * Messages of worker processes whose large byte arrays travel apart from them, over a pipe of their own. The channel of Node
 * would hold each array twice on both sides: a mail of 50 MB took 100 MB more in the service, and as much in its worker.
 */
import { readSync, writeSync } from "node:fs";
import type { Socket } from "node:net";
import { DefaultDeserializer, DefaultSerializer } from "node:v8";
import { freeMemory } from "../core/process-resources.ts";

declare module "node:v8" {
  // Documented, and not in the types: the methods by which a subclass writes and reads views of buffers.
  interface DefaultSerializer {
    _writeHostObject(view: NodeJS.ArrayBufferView): void;
  }
  interface DefaultDeserializer {
    _readHostObject(): unknown;
  }
}

/** File descriptor of the pipe in a worker, after the standard streams and the channel. */
const pipeDescriptor = 4;

/**
 * Smaller arrays are part of their message, of which the channel leaves copies for the garbage collector. Windows has no pipe that
 * a worker could read synchronously.
 */
const apartBytesMin = process.platform === "win32" ? Infinity : 64 * 1024;

/** Message without its large arrays. */
export interface PackedMessage {
  readonly kind: "packed";
  readonly packed: Uint8Array;
  /** Sizes of the arrays, in their order on the pipe. */
  readonly sizes: readonly number[];
}

/** Places of an array of bytes: in the message, or on the pipe as one of two classes. */
const within = 0;
const apartArray = 1;
const apartBuffer = 2;

class Packer extends DefaultSerializer {
  readonly arrays: Uint8Array[] = [];

  override _writeHostObject(view: NodeJS.ArrayBufferView): void {
    if (!(view instanceof Uint8Array) || view.byteLength < apartBytesMin) {
      this.writeUint32(within);
      super._writeHostObject(view);
      return;
    }
    this.writeUint32(Buffer.isBuffer(view) ? apartBuffer : apartArray);
    this.writeUint32(this.arrays.push(view) - 1);
  }
}

class Unpacker extends DefaultDeserializer {
  readonly arrays: readonly Buffer[];

  constructor(packed: Uint8Array, arrays: readonly Buffer[]) {
    super(packed);
    this.arrays = arrays;
  }

  override _readHostObject(): unknown {
    const place = this.readUint32();
    if (place === within) return super._readHostObject();
    const bytes = this.arrays[this.readUint32()];
    return place === apartBuffer || bytes === undefined
      ? bytes
      : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

/** Message to send, with the large arrays that follow it on the pipe. */
interface Packing {
  readonly message: unknown;
  readonly arrays: readonly Uint8Array[];
}

/** Returns a message without its large arrays; the message itself when it has none. Throws for what cannot be cloned. */
function pack(message: unknown): Packing {
  const packer = new Packer();
  packer.writeHeader();
  packer.writeValue(message);
  const { arrays } = packer;
  if (arrays.length === 0) return { message, arrays };
  const sizes = arrays.map(({ byteLength }) => byteLength);
  return { message: { kind: "packed", packed: packer.releaseBuffer(), sizes } satisfies PackedMessage, arrays };
}

function unpack({ packed }: PackedMessage, arrays: readonly Buffer[]): unknown {
  const unpacker = new Unpacker(packed, arrays);
  unpacker.readHeader();
  return unpacker.readValue();
}

/** Whether a message of the channel is the rest of a packed one. */
function isPacked(message: unknown): message is PackedMessage {
  return typeof message === "object" && message !== null && "kind" in message && message.kind === "packed";
}

/** Service's end of the pipe of a worker. */
export class ApartPipe {
  readonly #socket: Socket;
  readonly #chunks: Buffer[] = [];
  /** Called when more bytes have arrived. */
  #onData: () => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    // The exit event of the worker reports why its pipe broke.
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#onData();
    });
  }

  /** Sends a message with `send`, and its large arrays over the pipe, without copies. Throws for what cannot be cloned. */
  post(message: unknown, send: (message: unknown) => void): void {
    const packing = pack(message);
    send(packing.message);
    for (const array of packing.arrays) this.#socket.write(array);
  }

  /** Returns a message of the channel with its large arrays, once these have arrived. */
  async receive(message: unknown): Promise<unknown> {
    if (!isPacked(message)) return message;
    const arrays: Buffer[] = [];
    for (const size of message.sizes) arrays.push(await this.#take(size));
    return unpack(message, arrays);
  }

  /** Takes the next bytes of the pipe; frees each chunk after its copy. */
  async #take(size: number): Promise<Buffer> {
    const array = Buffer.allocUnsafeSlow(size);
    let at = 0;
    while (at < size) {
      const chunk = this.#chunks.shift();
      if (chunk === undefined) {
        await new Promise<void>((resolve) => {
          this.#onData = resolve;
        });
        continue;
      }
      const used = chunk.copy(array, at);
      at += used;
      if (used < chunk.byteLength) this.#chunks.unshift(chunk.subarray(used));
      else freeMemory(chunk);
    }
    return array;
  }
}

/** Returns a message of the service with its large arrays; waits for them without turns of the event loop. */
export function receiveWhole(message: unknown): unknown {
  return isPacked(message) ? unpack(message, message.sizes.map(readArray)) : message;
}

/** Sends a message to the service, with its large arrays after it. Throws for what cannot be cloned. */
export function postWhole(message: unknown, send: (message: unknown) => void): void {
  const packing = pack(message);
  send(packing.message);
  for (const array of packing.arrays) {
    for (let at = 0; at < array.byteLength;) at += writeSync(pipeDescriptor, array, at);
  }
}

function readArray(size: number): Buffer {
  const array = Buffer.allocUnsafeSlow(size);
  for (let at = 0; at < size;) {
    const count = readSync(pipeDescriptor, array, at, size - at, null);
    if (count === 0) throw new Error("the service closed the pipe");
    at += count;
  }
  return array;
}
