// The module of `/embed/v1-challenge.js`: what a form with a challenge needs (spec 4.5.4).

export { canShow, showChallenge, tokenOf } from './captcha.ts';
export { solve } from './proof-of-work.ts';
