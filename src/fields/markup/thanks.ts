/** What a person reads after a submission, unless the app has a text of its own. */
export const THANKS = 'Thank you. Your entries are stored.';

/** What a person reads whose submission is held, because it came without a proof of work. */
export const THANKS_HELD = 'Thank you. Somebody will look at your entries before they are stored.';
