import type { Deadline } from '../../platform/http/deadline.ts';

declare global {
  namespace Express {
    interface Request {
      /** The app that the request names or is authenticated as; for the log. */
      appId?: string;
      /** Whether its `Origin` is the service's own (spec 5.3). */
      hasOwnOrigin?: boolean;
      /** The API key of the request, by its id; for the log. */
      keyId?: string;
      /** The deadline of a request that has a session; it covers the read of the session. */
      deadline?: Deadline;
      /** Ends the turn of the network (core/http/network-turns.ts). Further calls do nothing. */
      endLookUps?: () => void;
      /** Whether its body has files, so that it has the time of them (http/sending-limits.ts). */
      mayBeSlow?: boolean;
    }
  }
}
