import type { Request } from 'express';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { Html } from '../../platform/http/reply.ts';

/** What answers browsers in place of JSON. */
export interface EntryPages {
  /** The page after a person has asked for a link: the same for every email. */
  asked(lease: Lease, req: Request): Html;
}
