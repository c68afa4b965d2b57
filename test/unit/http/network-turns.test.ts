import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { expect, it, vi } from 'vitest';
import { createNetworkTurns } from '../../../src/core/http/network-turns.ts';
import { Unavailable } from '../../../src/platform/core/errors.ts';

const responseOf = () => Object.assign(new EventEmitter(), { closed: false }) as unknown as Response;

/** Calls the middleware; the turn begins with `begin`. */
function call(res: Response, deadlineMs?: number) {
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const [end, next] = [vi.fn(), vi.fn()];
  const req = {} as Request;
  const turns = createNetworkTurns({ beginLookUps: () => begun.then(() => end) }, deadlineMs);
  return { req, end, next, begin, done: Promise.resolve(turns(req, res, next)) };
}

it('lets the handler end the turn, and leaves no listener on the response', async () => {
  const res = responseOf();
  const { req, end, next, begin, done } = call(res);
  begin();
  await done;
  expect(next).toHaveBeenCalledOnce();
  expect(req.deadline?.isOver).toBe(false);
  expect(end).not.toHaveBeenCalled();
  req.endLookUps?.();
  expect(end).toHaveBeenCalledOnce();
  expect(res.listenerCount('close')).toBe(0);
});

it('ends the turn with the response, when no handler does', async () => {
  const res = responseOf();
  const { end, begin, done } = call(res);
  begin();
  await done;
  res.emit('close');
  expect(end).toHaveBeenCalledOnce();
});

it.each([
  ['of a client that has left', Object.assign(responseOf(), { closed: true }), undefined],
  ['that begins after the deadline', responseOf(), 1],
])('gives back a turn %s, and refuses the request', async (_, res, deadlineMs) => {
  const { end, next, begin, done } = call(res, deadlineMs);
  if (deadlineMs === undefined) begin();
  await expect(done).rejects.toBeInstanceOf(Unavailable);
  begin();
  await expect.poll(() => end).toHaveBeenCalledOnce();
  expect(next).not.toHaveBeenCalled();
  expect(res.listenerCount('close')).toBe(0);
});
