import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBodyBudget, MAX_BYTES, MAX_BYTES_OF_ONE } from '../../../src/features/webhooks/dispatcher.ts';
import type { Turn } from '../../../src/platform/core/fair-queue.ts';

/**
 * Asks for room for each body, like `a 8`: owner and megabytes. Bodies go in the order of `gone`.
 */
function bodies(...all: string[]) {
  const budget = createBodyBudget();
  const gone: string[] = [];
  const rooms = new Map<string, Turn>();
  for (const body of all) {
    const [owner = '', size] = body.split(' ');
    const room = budget.join(owner, Number(size) * 1024 * 1024);
    rooms.set(body, room);
    void room.begun.then(() => gone.push(body));
  }
  return {
    gone: async () => {
      await nextTurn();
      return gone;
    },
    end: (body: string) => rooms.get(body)?.end(),
    resize: (body: string, size: number) => rooms.get(body)?.resize(size * 1024 * 1024),
  };
}

describe('the budget of bodies', () => {
  it('has 32 MB, and 8 MB for one owner', () => {
    expect([MAX_BYTES, MAX_BYTES_OF_ONE]).toEqual([32 * 1024 * 1024, 8 * 1024 * 1024]);
  });

  it('gives one owner its share only', async () => {
    const { gone, end } = bodies('a 3', 'a 4', 'a 2');
    expect(await gone()).toEqual(['a 3', 'a 4']);
    end('a 3');
    expect(await gone()).toEqual(['a 3', 'a 4', 'a 2']);
  });

  it('lets the owner with the fewest bytes go first', async () => {
    const full = ['a 8', 'b 8', 'c 8', 'd 6'];
    const { gone, end } = bodies(...full, 'd 2', 'd 1', 'e 4', 'f 4');
    expect(await gone()).toEqual([...full, 'd 2']);
    end('a 8');
    expect((await gone()).slice(5)).toEqual(['e 4', 'f 4']);
  });

  it('lets a body that is larger than all bounds go alone, and the others wait for it', async () => {
    const { gone, end } = bodies('a 4', 'b 40', 'c 1');
    expect(await gone()).toEqual(['a 4']);
    end('a 4');
    expect(await gone()).toEqual(['a 4', 'b 40']);
    end('b 40');
    expect(await gone()).toEqual(['a 4', 'b 40', 'c 1']);
  });

  it('gives back what a body does not need, and each release counts once', async () => {
    const { gone, resize, end } = bodies('a 8', 'a 7', 'a 6');
    expect(await gone()).toEqual(['a 8']);
    resize('a 8', 1);
    expect(await gone()).toEqual(['a 8', 'a 7']);
    end('a 8');
    end('a 8');
    expect(await gone()).toEqual(['a 8', 'a 7']);
    end('a 7');
    expect(await gone()).toEqual(['a 8', 'a 7', 'a 6']);
  });
});
