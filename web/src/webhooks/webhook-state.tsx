import { Badge } from '@mantine/core';
import type { Webhook } from '../api/endpoints.ts';
import { Time } from '../components/time.tsx';
import { DISABLED_REASONS } from './names.ts';

/** Whether a webhook gets events, and why not. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { state, disabledReason, disabledAt, failingSince } = webhook;
  if (state === 'disabled') {
    return (
      <>
        <Badge variant="light" color={disabledReason === 'operator' ? 'gray' : 'red'} tt="none">
          Disabled
        </Badge>
        {disabledReason && (
          <span>
            {DISABLED_REASONS[disabledReason]}
            {disabledAt && (
              <>
                , <Time at={disabledAt} relative />
              </>
            )}
          </span>
        )}
      </>
    );
  }
  if (failingSince === undefined) {
    return (
      <Badge variant="light" color="green" tt="none">
        Active
      </Badge>
    );
  }
  return (
    <>
      <Badge variant="light" color="yellow" tt="none">
        Failing
      </Badge>
      <span>
        since <Time at={failingSince} relative />; disabled after five days
      </span>
    </>
  );
}
