import type { Test } from 'supertest';

/** Sends a request whose answer has the bytes of a file as its body, or the object of a refusal. */
export function asBytes(request: Test): Test {
  return request.buffer(true).parse((response, done) => {
    const pieces: Buffer[] = [];
    response.on('data', (piece) => pieces.push(piece));
    response.on('error', (error) => done(error, undefined));
    response.on('end', () => {
      const content = Buffer.concat(pieces);
      const isRefusal = response.headers['content-type']?.startsWith('application/json');
      done(null, isRefusal ? JSON.parse(String(content)) : content);
    });
  });
}
