import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from '../../../src/platform/core/folders.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'user-collection-folders-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('createFolder', () => {
  it('creates a folder and those above it, for its owner only, and tells whether it did', async () => {
    const path = join(folder, 'a', 'b', 'c');
    expect(await createFolder(path)).toBe(true);
    expect(await createFolder(path)).toBe(false);
    for (const created of [path, join(folder, 'a', 'b'), join(folder, 'a')])
      expect((await stat(created)).mode & 0o777).toBe(0o700);
  });

  it('creates a folder once that several callers create at a time', async () => {
    const path = join(folder, 'd', 'e');
    const results = await Promise.all(Array.from({ length: 8 }, () => createFolder(path)));
    expect(results.filter((isNew) => isNew)).toHaveLength(1);
  });

  it('takes a link to a folder, and refuses a file, what is in a file, and a link to nothing', async () => {
    await writeFile(join(folder, 'file'), '');
    await symlink(folder, join(folder, 'link'));
    await symlink(join(folder, 'nowhere'), join(folder, 'broken'));
    expect(await createFolder(join(folder, 'link'))).toBe(false);
    await expect(createFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(createFolder(join(folder, 'file', 'x'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(createFolder(join(folder, 'broken'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(createFolder(join(folder, 'broken', 'x'))).rejects.toMatchObject({
      code: expect.stringMatching(/^E/),
    });
  });

  it('ends where the system makes no folders, at any depth', async () => {
    // Where mkdir with `recursive` does not return.
    await expect(createFolder('/proc/x')).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
    await expect(createFolder(`/proc${'/x'.repeat(100)}`)).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  });
});
