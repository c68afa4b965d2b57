// @module-tag long
// @module-tag fault

import { describe, expect, it } from 'vitest';
import { editing, importing, renaming } from './changes.ts';
import { erasing, person } from './erasing.ts';
import { findingWithIndexes } from './filtering.ts';
import { findingWithoutIndexes } from './finding.ts';
import { shown, withLargeApp } from './large-app.ts';
import { LARGE } from './records.ts';

describe(`the dashboard at ${shown(LARGE)} records`, { timeout: 180_000 }, () => {
  // One set-up for all tests. Those that change many records come last; each counts before it
  // changes.
  const large = withLargeApp();

  findingWithoutIndexes(large);
  it('shows how far the indexes of fields are, until they are built', () => large.indexed);
  findingWithIndexes(large);
  editing(large);
  importing(large);
  person(large);
  renaming(large);
  erasing(large);

  it('leaves the records of another app as they are', async () => {
    expect(await large.others()).toEqual(large.othersAtFirst);
  });
});
