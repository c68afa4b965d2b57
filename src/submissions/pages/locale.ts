/** The language of the texts that the service itself writes. */
const OWN_LANGUAGE = 'en';

/** The language of a page and the direction of its text. */
export interface Language {
  lang: string;
  dir: 'ltr' | 'rtl';
}

/** Newer versions of Node have the method, older ones the property. */
type WithDirection = { textInfo?: { direction: string }; getTextInfo?(): { direction: string } };

/** @param locale a BCP 47 tag. Default: the language of the service's own texts */
export function languageOf(locale = OWN_LANGUAGE): Language {
  const tag = new Intl.Locale(locale) as WithDirection;
  const { direction } = tag.getTextInfo?.() ?? tag.textInfo ?? {};
  return { lang: locale, dir: direction === 'rtl' ? 'rtl' : 'ltr' };
}

/**
 * Returns attributes for a text of the service itself, in HTML. A page in another language has to
 * name the language of such a text.
 */
export function ownLanguage(locale = OWN_LANGUAGE): string {
  return new Intl.Locale(locale).language === OWN_LANGUAGE ? '' : ` lang="${OWN_LANGUAGE}" dir="ltr"`;
}
