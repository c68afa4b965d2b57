import type { App } from '../../apps/app.ts';
import { DEFAULT_FORM_SETTINGS } from '../../apps/form-settings/form-settings.ts';
import { Forbidden } from '../../core/errors.ts';
import type { Challenges, Proof } from '../bots/challenges.ts';
import type { HoldReason } from '../held/held.model.ts';
import type { SubmissionOptions } from '../submission-options.ts';

/** What is done with a valid submission. */
export interface Admission {
  /** Hold it instead of storing it. */
  hold?: HoldReason;
  /** The solved challenge that it uses up. */
  proof?: Proof;
}

const ADMITTED: Admission = {};

export type CheckAdmission = ReturnType<typeof createAdmissionCheck>;

/**
 * Decides before the validation whether an app takes a submission: by `closesAt`, its bot
 * protection and what was sent beside the data (spec 4.5). Costs nothing for an app without
 * settings: then it answers without a promise.
 *
 * @returns a function that throws or rejects with {@link Forbidden}
 */
export function createAdmissionCheck(challenges: Pick<Challenges, 'verify'>) {
  return (app: Pick<App, 'id' | 'form'>, options: SubmissionOptions): Admission | Promise<Admission> => {
    const { form = DEFAULT_FORM_SETTINGS } = app;
    if (options.approvedFor !== undefined) return ADMITTED;
    if (form.closesAt && form.closesAt.getTime() <= Date.now()) throw new Forbidden('This form is closed');
    // Bot protection is for senders who do not prove who they are.
    if (options.keyOf !== undefined) return ADMITTED;
    if (form.botProtection === 'proof-of-work') return checkProof(app, options);
    return options.isTrapped && form.botProtection === 'honeypot' ? { hold: 'honeypot' } : ADMITTED;
  };

  async function checkProof(
    { id }: Pick<App, 'id'>,
    { via = 'json', proof = '', isTrapped }: SubmissionOptions,
  ): Promise<Admission> {
    const trapped = isTrapped && ({ hold: 'honeypot' } as const);
    if (proof !== '') return { ...trapped, proof: await challenges.verify(id, proof) };
    if (via === 'json') throw new Forbidden('This app requires a proof of work; solve a challenge and send it');
    return trapped || { hold: 'no-proof' };
  }
}
