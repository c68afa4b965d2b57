import { AppError } from '../core/errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { SubmissionService } from './submissions.service.ts';

/** The results by the status of the refusal. Any other error is a database out of reach. */
const REFUSALS: Record<number, string> = {
  400: 'invalid',
  403: 'forbidden',
  409: 'conflict',
  413: 'too_large',
  422: 'key_reused',
  429: 'limited',
};

/** Returns the service, which counts each submission by its result if metrics are on. */
export function countSubmissions(service: SubmissionService, metrics: Metrics): SubmissionService {
  if (!metrics.isOn) return service;
  const help = 'Submissions whose body was read, by result';
  const count = metrics.counter('submissions_total', { help, labels: ['result'] });
  return {
    async submit(...submission) {
      try {
        const stored = await service.submit(...submission);
        count({ result: stored.held ? 'held' : 'stored' });
        return stored;
      } catch (error) {
        count({ result: (error instanceof AppError && REFUSALS[error.status]) || 'unavailable' });
        throw error;
      }
    },
  };
}
