import type { Filter } from '../conditions/filter.ts';
import type { Bounds } from './bounds.ts';

/**
 * `id` and `email` are the indexes of an app's records, `all` is that of all apps by id; the others
 * are index slots.
 */
export type IndexName = 'id' | 'email' | (string & {});

/** A part of an index to walk, and what the records in it must fulfil besides. */
export interface Segment {
  index: IndexName;
  bounds: Bounds;
  /** Whether it is walked from its end. */
  isReversed: boolean;
  /** Without any condition, every key in the bounds is a match. */
  filter: Filter;
  /** Whether the filter concerns the first member of the index alone. */
  isOfKeys: boolean;
}
