import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The time in which a client sends a request, in ms. */
export interface SendingLimits {
  /** The time of a request. With the interval of its check, a slow client has at most 15 s. */
  requestMs: number;
  checkMs: number;
  /** The time of a request with files, and the interval in which enough of it must arrive. */
  filesMs: number;
  filesCheckMs: number;
}

export const SENDING_LIMITS: SendingLimits = {
  requestMs: 13_000,
  checkMs: 2_000,
  filesMs: 15 * 60_000,
  filesCheckMs: 15_000,
};

/** The least that arrives of files, in bytes per ms. */
const FILES_RATE = 1;

const ANSWERS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

type Answer = ServerResponse<IncomingMessage> & { req: IncomingMessage & { mayBeSlow?: boolean } };

/**
 * Creates a listener for the `clientError` of a server: it does what Node does without one, except
 * that a request that may be slow gets the limits of files when its time is over.
 * @param answerOn returns the last answer that a connection was given
 */
export function createClientErrorListener(
  answerOn: (socket: Socket) => Answer | undefined,
  { filesMs, filesCheckMs }: SendingLimits,
) {
  return ({ code = '' }: NodeJS.ErrnoException, socket: Socket): void => {
    const res = answerOn(socket);
    const refuse = (): void => {
      const hasBegun = res?.headersSent && !res.writableFinished;
      const status = ANSWERS[code] ?? '400 Bad Request';
      if (socket.writable && !hasBegun) socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
      socket.destroy();
    };
    const mayGoOn = code === 'ERR_HTTP_REQUEST_TIMEOUT' && res?.req.mayBeSlow && !res.req.complete;
    if (!mayGoOn) return void refuse();
    const endsAt = performance.now() + filesMs;
    let before = socket.bytesRead;
    const check = setInterval(() => {
      // What the service has not read yet holds up the rest.
      const isSlow = res.req.readableLength === 0 && socket.bytesRead - before < FILES_RATE * filesCheckMs;
      before = socket.bytesRead;
      if (res.req.complete || socket.destroyed) clearInterval(check);
      else if (isSlow || performance.now() > endsAt) refuse();
    }, filesCheckMs).unref();
  };
}
