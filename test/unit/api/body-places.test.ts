import { expect, it } from 'vitest';
import { createBodyPlaces } from '../../../src/platform/http/request-bytes.ts';

it('gives one network a quarter of the places, refuses at once what waits beyond, and others have a place', async () => {
  // Eight places, of which a network has two.
  const inPlace = createBodyPlaces(1, { memory: 8, maxWaitMs: 60_000 });
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const receive = (network: string) =>
    inPlace(network, () => {
      begun.push(network);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const first = Array.from({ length: 4 }, () => receive('flood'));
  await expect(receive('flood')).rejects.toMatchObject({ status: 503, code: 'tooManyBodies' });
  const other = receive('other');
  await expect.poll(() => begun).toEqual(['flood', 'flood', 'other']);
  for (const end of ends.splice(0)) end();
  await expect.poll(() => begun.length).toBe(5);
  for (const end of ends.splice(0)) end();
  await Promise.all([...first, other]);
});
