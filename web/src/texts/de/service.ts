/**
 * Texts of the service, by their English text. `{}` stands for a value, in the same order in both
 * languages. A message of a problem follows the path that it is about, as in `data.age muss eine
 * Zahl sein`.
 */
export const service: Readonly<Record<string, string>> = {
  // Members, accounts and log-in.
  'An app has at most {} members': 'Eine App hat höchstens {} Mitglieder',
  'Only managers and admins may change a manager': 'Nur Verwalter und Administratoren dürfen einen Verwalter ändern',
  'The app has no manager yet: invite one first': 'Die App hat noch keinen Verwalter: Laden Sie zuerst einen ein',
  'This email already has an account': 'Zu dieser E-Mail gibt es schon ein Konto',
  'Log in again to change this': 'Melden Sie sich erneut an, um dies zu ändern',
  'Passwords and passkeys are switched off: log in by single sign-on':
    'Passwörter und Passkeys sind abgeschaltet: Melden Sie sich mit Single Sign-on an',
  'This email has an account: log in with it, then open the invitation again':
    'Zu dieser E-Mail gibt es ein Konto: Melden Sie sich damit an und öffnen Sie die Einladung erneut',
  'No active account has this email': 'Kein aktives Konto hat diese E-Mail',
  'No account has this email': 'Kein Konto hat diese E-Mail',
  'Invalid password change': 'Das Passwort wurde nicht geändert',
  'The current password is wrong': 'Das bisherige Passwort ist falsch',
  'The account was changed meanwhile; try again': 'Das Konto wurde inzwischen geändert; versuchen Sie es erneut',
  'The access of this caller was changed meanwhile; try again':
    'Der Zugang wurde inzwischen geändert; versuchen Sie es erneut',
  'Too many objects of this kind are being stored at the same time; try again':
    'Zu viele Objekte dieser Art werden gleichzeitig gespeichert; versuchen Sie es erneut',
  'An app has at most {} open invitations; delete one first':
    'Eine App hat höchstens {} offene Einladungen; löschen Sie zuerst eine',
  'Passkeys need PUBLIC_URL with https: and a host name, or localhost':
    'Passkeys brauchen PUBLIC_URL mit https: und einem Hostnamen, oder localhost',
  'This passkey is in use': 'Dieser Passkey wird schon verwendet',
  'This passkey is the only way into the account: choose a password first':
    'Dieser Passkey ist der einzige Zugang zum Konto: Wählen Sie zuerst ein Passwort',
  'An account has at most {} passkeys': 'Ein Konto hat höchstens {} Passkeys',
  'Invalid passkey': 'Ungültiger Passkey',
  'is wrong or was sent before': 'ist falsch oder wurde schon gesendet',
  'Too many codes; try again later': 'Zu viele Codes; versuchen Sie es später erneut',
  'The account has an authenticator app; remove it first':
    'Das Konto hat eine Authenticator-App; entfernen Sie sie zuerst',
  'is wrong': 'ist falsch',
  'Account not found': 'Konto nicht gefunden',
  'A suspended account cannot become an admin': 'Ein gesperrtes Konto kann nicht Administrator werden',
  'Groups of the provider make this account an admin: change them there':
    'Gruppen des Anbieters machen dieses Konto zum Administrator: Ändern Sie sie dort',
  'Invitation not found': 'Einladung nicht gefunden',
  'Log in as a manager of the app to change this': 'Melden Sie sich als Verwalter der App an, um dies zu ändern',
  'Groups of the provider give this role: change them there':
    'Gruppen des Anbieters geben diese Rolle: Ändern Sie sie dort',
  'Member not found': 'Mitglied nicht gefunden',
  'Only managers and admins may give this role': 'Nur Verwalter und Administratoren dürfen diese Rolle geben',
  'Log in with an account to use this': 'Melden Sie sich mit einem Konto an, um dies zu nutzen',
  'Session not found': 'Sitzung nicht gefunden',
  'Passkey not found': 'Passkey nicht gefunden',
  'The account is not a member of this app': 'Das Konto ist kein Mitglied dieser App',
  'Too many failed log-ins; try again later': 'Zu viele fehlgeschlagene Anmeldungen; versuchen Sie es später erneut',
  'Large import files are being searched; repeat the request to continue':
    'Große Importdateien werden durchsucht; wiederholen Sie die Anfrage, um fortzufahren',
  'Too many log-ins at once; try again shortly': 'Zu viele Anmeldungen zugleich; versuchen Sie es gleich erneut',
  'Single sign-on is not configured': 'Single Sign-on ist nicht eingerichtet',
  'The logout token is not valid': 'Das Logout-Token ist ungültig',
  'The logout token was used': 'Das Logout-Token wurde schon verwendet',
  'The provider of single sign-on cannot be reached': 'Der Anbieter des Single Sign-on ist nicht erreichbar',
  'must have at least {} characters': 'muss mindestens {} Zeichen haben',
  'must be base64url': 'muss base64url sein',
  'must not be sent with sourceAppId': 'darf nicht mit sourceAppId gesendet werden',
  'must be viewer, editor or manager': 'muss viewer, editor oder manager sein',
  'Not authenticated': 'Nicht angemeldet',
  'Invalid credentials': 'Die Anmeldedaten sind falsch',

  // Requests of every kind.
  'Invalid request body': 'Die Angaben sind ungültig',
  'Invalid query parameters': 'Die Parameter sind ungültig',
  'Invalid request headers': 'Die Header sind ungültig',
  'must be a valid email': 'muss eine gültige E-Mail sein',
  'must be an email address': 'muss eine E-Mail-Adresse sein',
  'is required': 'ist erforderlich',
  'must be a string': 'muss ein Text sein',
  'must be json-schema': 'muss json-schema sein',
  'must not be empty': 'darf nicht leer sein',
  'must have at most {} characters': 'darf höchstens {} Zeichen haben',
  'must have at most {} character': 'darf höchstens {} Zeichen haben',
  'must have at most {} bytes': 'darf höchstens {} Byte haben',
  'must have at most {} entries': 'darf höchstens {} Einträge haben',
  'must be one of {}': 'muss eines von {} sein',
  'is too long': 'ist zu lang',
  'must be a date-time with its zone': 'muss Datum und Uhrzeit mit Zeitzone sein',
  'must be in the future': 'muss in der Zukunft liegen',
  'must be a list of networks': 'muss eine Liste von Netzen sein',
  'must be an IP address or a network like 203.0.113.0/24 or 2001:db8::/32':
    'muss eine IP-Adresse oder ein Netz wie 203.0.113.0/24 oder 2001:db8::/32 sein',
  'must be a whole number from {}{}': 'muss eine ganze Zahl ab {}{} sein',
  'must be one whole number from {}': 'muss eine einzige ganze Zahl ab {} sein',
  'must be a whole number from 1 to {}': 'muss eine ganze Zahl von 1 bis {} sein',
  'must be a whole number from 1': 'muss eine ganze Zahl ab 1 sein',
  'must be a number': 'muss eine Zahl sein',
  'must be {}': 'muss {} sein',
  'must be one text': 'muss ein einzelner Text sein',
  'must be an object': 'muss ein Objekt sein',
  'must be an array': 'muss eine Liste sein',
  'must be a list': 'muss eine Liste sein',
  'must be true or false': 'muss true oder false sein',
  'must be true': 'muss true sein',
  'must be at most {}': 'darf höchstens {} sein',
  'must be at least {}': 'muss mindestens {} sein',
  'must be asc or desc': 'muss asc oder desc sein',
  'must be an RFC 3339 time': 'muss eine Zeit nach RFC 3339 sein',
  'must be the id of a record': 'muss die ID eines Datensatzes sein',
  'must not contain a NUL character': 'darf kein NUL-Zeichen enthalten',
  'must have 1 to 200 characters, without @ and control characters':
    'muss 1 bis 200 Zeichen haben, ohne @ und Steuerzeichen',
  'is not a known property': 'ist keine bekannte Eigenschaft',
  'is not valid': 'ist ungültig',
  'is missing': 'fehlt',
  'Not found': 'Nicht gefunden',
  'Internal error': 'Interner Fehler',
  'Method not allowed': 'Diese Methode ist nicht erlaubt',
  'The path is not valid': 'Der Pfad ist ungültig',
  'Not ready': 'Nicht bereit',
  'This origin is not allowed': 'Dieser Ursprung ist nicht erlaubt',
  'Admin role required': 'Nur Administratoren dürfen das',
  'A request has a session or an API key, not both':
    'Eine Anfrage hat eine Sitzung oder einen API-Schlüssel, nicht beides',
  'This endpoint takes no API keys; log in instead':
    'Dieser Endpunkt nimmt keine API-Schlüssel an; melden Sie sich stattdessen an',
  'The scope {} is required': 'Die Berechtigung {} ist erforderlich',
  'The scope users:read is required': 'Die Berechtigung users:read ist erforderlich',
  'The API key is for another app': 'Der API-Schlüssel gehört zu einer anderen App',
  'Missing x-app-id header': 'Der Header x-app-id fehlt',
  'Invalid x-app-id header': 'Der Header x-app-id ist ungültig',
  'Name the app: sourceAppId is required': 'Nennen Sie die App: sourceAppId ist erforderlich',
  'The dashboard is not built: run `npm run build`':
    'Die Verwaltungsoberfläche ist nicht gebaut: Führen Sie `npm run build` aus',
  'The embed script is not built: run `npm run build`':
    'Das Skript zum Einbetten ist nicht gebaut: Führen Sie `npm run build` aus',
  'A form may have at most {} entries': 'Ein Formular darf höchstens {} Einträge haben',
  'The name of a form entry may have at most {} bytes': 'Der Name eines Eintrags darf höchstens {} Byte haben',
  'The name of a form entry may not contain NUL': 'Der Name eines Eintrags darf kein NUL enthalten',
  'The Content-Type has no valid boundary': 'Der Content-Type hat keine gültige Begrenzung (boundary)',
  'The request body is not valid form data': 'Der Inhalt der Anfrage ist kein gültiges Formular',
  'A JSON body with Content-Type: application/json is required':
    'Ein JSON-Inhalt mit Content-Type: application/json ist erforderlich',
  'A body of one of these types is required: {}': 'Ein Inhalt von einem dieser Typen ist erforderlich: {}',
  '{} is not valid JSON': '{} ist kein gültiges JSON',
  '{} holds text that is not valid Unicode': '{} enthält Text, der kein gültiges Unicode ist',
  '{} holds a number that is too large': '{} enthält eine zu große Zahl',
  '{} is nested deeper than {} levels': '{} ist tiefer als {} Ebenen geschachtelt',
  '{} holds an integer beyond 2^53, which would be altered; send it as text':
    '{} enthält eine ganze Zahl über 2^53, die verändert würde; senden Sie sie als Text',
  '{} holds a number that is too small and would become 0': '{} enthält eine zu kleine Zahl, aus der 0 würde',
  'The request body must be UTF-8': 'Der Inhalt der Anfrage muss UTF-8 sein',
  'Unsupported Content-Encoding: use gzip, deflate or identity':
    'Content-Encoding wird nicht unterstützt: Verwenden Sie gzip, deflate oder identity',
  'Unsupported Content-Encoding: send the file without compression':
    'Content-Encoding wird nicht unterstützt: Senden Sie die Datei ohne Komprimierung',
  'The request body cannot be read': 'Der Inhalt der Anfrage ist nicht lesbar',
  'The request body comes in too many pieces': 'Der Inhalt der Anfrage kommt in zu vielen Teilen',
  'The request body was cut off': 'Der Inhalt der Anfrage wurde abgeschnitten',
  'Too many requests are being received; try again shortly':
    'Zu viele Anfragen werden empfangen; versuchen Sie es gleich erneut',
  'The service or its database took too long; try again shortly':
    'Der Dienst oder seine Datenbank hat zu lange gebraucht; versuchen Sie es gleich erneut',
  'Too many requests at the same time; wait for one to end': 'Zu viele Anfragen zugleich; warten Sie, bis eine endet',
  'Too many exports and listings at the same time; wait for one to end':
    'Zu viele Exporte und Listen zugleich; warten Sie, bis einer endet',
  'The service has too many requests of operators at once; try again shortly':
    'Der Dienst hat zu viele Anfragen von Betreibern zugleich; versuchen Sie es gleich erneut',
  'Database unavailable': 'Die Datenbank ist nicht erreichbar',

  // Apps and the settings of their forms.
  'App not found': 'App nicht gefunden',
  'An app with this sourceAppId already exists': 'Eine App mit dieser ID gibt es schon',
  'The app was restored while it was deleted': 'Die App wurde wiederhergestellt, während sie gelöscht wurde',
  'The app is being restored': 'Die App wird wiederhergestellt',
  'Admin apps cannot be deleted': 'Apps von Administratoren können nicht gelöscht werden',
  'must have at most 80 characters': 'darf höchstens 80 Zeichen haben',
  "is required to change the own app's password": 'ist erforderlich, um das Passwort der eigenen App zu ändern',
  'Invalid sourceAppId: use {}': 'Ungültige App-ID: Verwenden Sie {}',
  'Invalid sourceAppId: {}': 'Ungültige App-ID: {}',
  'Invalid sourceAppId': 'Ungültige App-ID',
  'must not be "." or "..": clients remove them from URL paths like /auth/apps/..':
    'darf nicht "." oder ".." sein: Programme entfernen sie aus URL-Pfaden wie /auth/apps/..',
  'must be a BCP 47 language tag like en or pt-BR': 'muss ein Sprachkürzel nach BCP 47 wie en oder pt-BR sein',
  'must be a BCP 47 language tag like de or pt-BR': 'muss ein Sprachkürzel nach BCP 47 wie de oder pt-BR sein',
  'must be an IANA time zone like Europe/Berlin': 'muss eine IANA-Zeitzone wie Europe/Berlin sein',
  'must be an https URL, or an http URL on localhost': 'muss eine https-URL oder eine http-URL auf localhost sein',
  'must be an origin: {}': 'muss ein Ursprung sein: {}',
  'Invalid form settings': 'Die Einstellungen des Formulars sind ungültig',
  'needs a server that sends email: SMTP_URL is not set':
    'braucht einen Server, der E-Mails sendet: SMTP_URL ist nicht gesetzt',
  'needs a server that knows its address for links: PUBLIC_URL is not set':
    'braucht einen Server, der seine Adresse für Links kennt: PUBLIC_URL ist nicht gesetzt',

  // API keys, audit log and webhooks.
  'An app has at most {} API keys; delete one first':
    'Eine App hat höchstens {} API-Schlüssel; löschen Sie zuerst einen',
  'must be a list of scopes': 'muss eine Liste von Berechtigungen sein',
  'must name a scope': 'muss eine Berechtigung nennen',
  'Admin role required to give the scope schema:write': 'Nur Administratoren geben die Berechtigung schema:write',
  'Admin role required to create keys of an admin app':
    'Nur Administratoren legen Schlüssel einer App von Administratoren an',
  'API key not found': 'API-Schlüssel nicht gefunden',
  'Too many invalid API keys; try again later': 'Zu viele ungültige API-Schlüssel; versuchen Sie es später erneut',
  'must be an action of the audit log': 'muss eine Aktion des Protokolls sein',
  'must be the id of an account or an API key, or admin':
    'muss die ID eines Kontos oder eines API-Schlüssels sein, oder admin',
  'must be a date, or a date-time with its zone': 'muss ein Datum sein, oder Datum und Uhrzeit mit Zeitzone',
  'Delivery not found': 'Zustellung nicht gefunden',
  'Webhook not found': 'Webhook nicht gefunden',
  'An app has at most {} webhooks': 'Eine App hat höchstens {} Webhooks',
  'Invalid webhook': 'Der Webhook ist ungültig',
  'must be an absolute http or https URL without user, password and fragment':
    'muss eine vollständige http- oder https-URL ohne Benutzer, Passwort und Fragment sein',
  'must name at least one event': 'muss mindestens ein Ereignis nennen',
  'must name each event once': 'muss jedes Ereignis einmal nennen',
  'must be the whole URL: responses show a shortened one': 'muss die ganze URL sein: Antworten zeigen eine gekürzte',
  'must begin with https://': 'muss mit https:// beginnen',
  'must not name a private address or localhost': 'darf keine private Adresse und nicht localhost nennen',
  'must be sent again, because this format shows the whole URL':
    'muss noch einmal gesendet werden, weil dieses Format die ganze URL zeigt',

  // Records: edits, changes of many, history, lists.
  'User not found': 'Person nicht gefunden',
  'Change not found': 'Änderung nicht gefunden',
  'The app has {} changes that have not ended; wait or stop one':
    'Die App hat {} laufende Änderungen; warten Sie, oder halten Sie eine an',
  'The change is undone already': 'Die Änderung ist schon rückgängig gemacht',
  'The change has not ended yet': 'Die Änderung ist noch nicht beendet',
  'Invalid change': 'Die Änderung ist ungültig',
  'must name a change': 'muss eine Änderung nennen',
  'must name each key once': 'muss jeden Schlüssel einmal nennen',
  'is not used with ids': 'wird nicht mit ids verwendet',
  'is required without q and ids': 'ist ohne q und ids erforderlich',
  'is required without q': 'ist ohne q erforderlich',
  'is not used with where, q or cursor': 'wird nicht mit where, q oder cursor verwendet',
  'is not used with cursor': 'wird nicht mit cursor verwendet',
  'must be a key of a field': 'muss der Schlüssel eines Feldes sein',
  'is not a valid key': 'ist kein gültiger Schlüssel',
  'is not a valid key: a key starts with a letter and has at most 51 letters, digits and underscores':
    'ist kein gültiger Schlüssel: Er beginnt mit einem Buchstaben und hat höchstens 51 Buchstaben, Ziffern und Unterstriche',
  'must be createdAt or updatedAt': 'muss createdAt oder updatedAt sein',
  'The retention was changed meanwhile; look at it again':
    'Die Aufbewahrung wurde inzwischen geändert; sehen Sie sie erneut an',
  'was erased': 'wurde gelöscht',
  'The record was erased while it was written; send it again':
    'Der Datensatz wurde gelöscht, während er geschrieben wurde; senden Sie ihn erneut',
  'The record has no such item': 'Der Datensatz hat keinen solchen Eintrag',
  'has no item of that time': 'hat keinen Eintrag dieser Zeit',
  'This record is changing too often; try again shortly':
    'Dieser Datensatz ändert sich zu oft; versuchen Sie es gleich erneut',
  'The record has no such revision': 'Der Datensatz hat keine solche Revision',
  'Only edits and imports can be undone': 'Nur Bearbeitungen und Importe können rückgängig gemacht werden',
  'Invalid revert': 'Das Zurücksetzen ist ungültig',
  'is not a path of that revision': 'ist kein Pfad dieser Revision',
  'was changed since': 'wurde seitdem geändert',
  'was too large to keep': 'war zu groß, um aufbewahrt zu werden',
  'The record was changed since; nothing was undone':
    'Der Datensatz wurde seitdem geändert; nichts wurde rückgängig gemacht',
  'The record is full: it accepts only withdrawals of consents':
    'Der Datensatz ist voll: Er nimmt nur den Widerruf von Einwilligungen an',
  'Too many events of this record wait to be delivered; try again shortly':
    'Zu viele Ereignisse dieses Datensatzes warten auf Zustellung; versuchen Sie es gleich erneut',
  'Too many submissions for this record at once; try again shortly':
    'Zu viele Einsendungen für diesen Datensatz zugleich; versuchen Sie es gleich erneut',
  'must be the `next` of an answer to the same query': 'muss das `next` einer Antwort auf dieselbe Abfrage sein',
  'must be csv, ndjson or json': 'muss csv, ndjson oder json sein',
  'must be labels or paths': 'muss labels oder paths sein',
  'is for csv only': 'gilt nur für csv',
  'must be columns of the app, separated by commas': 'muss aus Spalten der App bestehen, getrennt durch Kommas',
  'must name each column once': 'muss jede Spalte einmal nennen',
  'must be at most {} columns': 'darf höchstens {} Spalten haben',
  'must be the path of a field of the app, and not of an array':
    'muss der Pfad eines Feldes der App sein, und zwar keiner Liste',
  'has more than {} values': 'hat mehr als {} Werte',
  'must have the value true or false': 'muss den Wert true oder false haben',
  'must have a decimal number as its value': 'muss eine Dezimalzahl als Wert haben',
  'must have a date, or a date-time with its zone, as its value':
    'muss ein Datum oder Datum und Uhrzeit mit Zeitzone als Wert haben',
  'must be given at most {} times': 'darf höchstens {}-mal angegeben werden',
  'is not a field of the app': 'ist kein Feld der App',
  'is not a field of this app': 'ist kein Feld dieser App',
  'can only be set by the team of this app': 'kann nur vom Team dieser App gesetzt werden',
  'names a field that the app does not have': 'nennt ein Feld, das die App nicht hat',
  'must compare by one of {}': 'muss auf eine dieser Arten vergleichen: {}',
  'compares in a way that fields of the kind {} do not have':
    'vergleicht auf eine Art, die es bei Feldern der Art {} nicht gibt',
  'has a value of more than {} characters': 'hat einen Wert mit mehr als {} Zeichen',
  'must be createdAt, updatedAt, email or data.<key>': 'muss createdAt, updatedAt, email oder data.<Schlüssel> sein',
  'must be exact, capped or none': 'muss exact, capped oder none sein',
  'must be a condition on the email': 'muss eine Bedingung für die E-Mail sein',
  'must be app ids': 'muss aus App-IDs bestehen',
  'must be at most {} in this order; read the next pages with cursor':
    'darf in dieser Reihenfolge höchstens {} sein; lesen Sie die nächsten Seiten mit cursor',
  'must be createdAt, email or an indexed field for this many records':
    'muss bei so vielen Datensätzen createdAt, email oder ein indiziertes Feld sein',
  'This search takes too long; narrow it down': 'Diese Suche dauert zu lange; grenzen Sie sie ein',
  'There are {} views already; delete one first': 'Es gibt schon {} Ansichten; löschen Sie zuerst eine',
  'must be a list of columns': 'muss eine Liste von Spalten sein',
  'View not found': 'Ansicht nicht gefunden',
  'This view is changing too often; try again shortly':
    'Diese Ansicht ändert sich zu oft; versuchen Sie es gleich erneut',
  'Only managers of the app share views and change shared ones':
    'Nur Verwalter der App teilen Ansichten und ändern geteilte',

  // Schemas and their fields.
  'Invalid schema': 'Das Schema ist ungültig',
  'Schema version not found': 'Version des Schemas nicht gefunden',
  'The values of the fields that version {} renamed are still being moved; {}':
    'Die Werte der Felder, die Version {} umbenannt hat, werden noch verschoben; {}',
  'The schema of this app is changing; try again shortly':
    'Das Schema dieser App ändert sich gerade; versuchen Sie es gleich erneut',
  'The schema of this app is changing': 'Das Schema dieser App ändert sich gerade',
  'has other options': 'hat andere Optionen',
  'must list at least one value': 'muss mindestens einen Wert nennen',
  'has a label for a value that {}': 'hat eine Bezeichnung für einen Wert, der {}',
  'cannot have one': 'keine haben kann',
  'is not in enum': 'nicht in enum steht',
  'must be autofill tokens: at most 100 letters, digits, hyphens and spaces':
    'muss aus Autofill-Kürzeln bestehen: höchstens 100 Buchstaben, Ziffern, Bindestriche und Leerzeichen',
  'is too large, alone or with the other patterns of the schema: use smaller repetition counts':
    'ist zu groß, allein oder mit den anderen Mustern des Schemas: Verwenden Sie kleinere Wiederholungen',
  'is not a pattern that can be used: \\Q is not supported': 'ist kein verwendbares Muster: \\Q wird nicht unterstützt',
  'is not a pattern that can be used: {}': 'ist kein verwendbares Muster: {}',
  'must have language tags like de or pt-BR as names': 'muss Sprachkürzel wie de oder pt-BR als Namen haben',
  'must have at most {} languages': 'darf höchstens {} Sprachen haben',
  'is a list to which submissions append; removeItems removes its items':
    'ist eine Liste, an die Einsendungen anhängen; removeItems entfernt ihre Einträge',
  'must start with a letter and contain at most 51 letters, digits and underscores':
    'muss mit einem Buchstaben beginnen und darf höchstens 51 Buchstaben, Ziffern und Unterstriche haben',
  'must have a kind: {}': 'muss eine Art haben: {}',
  'is used by an earlier field': 'wird von einem früheren Feld verwendet',
  'is not possible with writers: staff': 'ist nicht möglich bei einem Feld, das nur das Team setzt',
  'is set for more than {} fields': 'ist bei mehr als {} Feldern gesetzt',
  'must have no empty value, and none that contains "; "':
    'darf keinen leeren Wert haben, und keinen, der "; " enthält',
  'must not be greater than maxItems': 'darf nicht größer als maxItems sein',
  'must not be greater than the number of values': 'darf nicht größer als die Anzahl der Werte sein',
  'must not be greater than max': 'darf nicht größer als max sein',
  'must not be greater than maxLength': 'darf nicht größer als maxLength sein',
  'is not a field of the schema that is replaced': 'ist kein Feld des ersetzten Schemas',
  'is still a field': 'ist noch ein Feld',
  'is renamed twice': 'wird zweimal umbenannt',
  'is not a field of the new schema': 'ist kein Feld des neuen Schemas',
  'is a field of the schema that is replaced': 'ist ein Feld des ersetzten Schemas',
  'is the new key of two fields': 'ist der neue Schlüssel von zwei Feldern',
  'must be of the kind {}': 'muss von der Art {} sein',

  // Values of fields.
  'must be a date like 2026-01-31 or a date-time with its zone like 2026-01-31T08:30:00Z':
    'muss ein Datum wie 2026-01-31 sein, oder Datum und Uhrzeit mit Zeitzone wie 2026-01-31T08:30:00Z',
  'must be one of the allowed values': 'muss einer der erlaubten Werte sein',
  'must be a list of the allowed values': 'muss eine Liste der erlaubten Werte sein',
  'must have only allowed values': 'darf nur erlaubte Werte haben',
  'must not have a value twice': 'darf keinen Wert zweimal haben',
  'must have at least {} choice': 'muss mindestens {} Auswahl haben',
  'must have at least {} choices': 'muss mindestens {} Auswahlen haben',
  'must have at most {} choice': 'darf höchstens {} Auswahl haben',
  'must have at most {} choices': 'darf höchstens {} Auswahlen haben',
  'must have at least {} character': 'muss mindestens {} Zeichen haben',
  'has too many digits': 'hat zu viele Ziffern',
  'is too small and would become 0': 'ist zu klein und würde zu 0',
  'does not match the required pattern': 'entspricht nicht dem verlangten Muster',
  'is too long to be checked against the pattern': 'ist zu lang, um mit dem Muster verglichen zu werden',
  'has no time zone: send its IANA name as _tz': 'hat keine Zeitzone: Senden Sie ihren IANA-Namen als _tz',
  'has a property whose name is not allowed: names may not begin with $, contain a dot or NUL, or be reserved':
    'hat eine Eigenschaft mit unerlaubtem Namen: Namen dürfen nicht mit $ beginnen, keinen Punkt oder NUL enthalten und nicht reserviert sein',
  'must have at most {} key beyond the fields of the schema':
    'darf außer den Feldern des Schemas höchstens {} Schlüssel haben',
  'must have at most {} keys beyond the fields of the schema':
    'darf außer den Feldern des Schemas höchstens {} Schlüssel haben',
  'was renamed to {}': 'wurde in {} umbenannt',
  'must be a URL of an origin that the app lists, or a path of the site that sends the form':
    'muss eine URL eines Ursprungs sein, den die App nennt, oder ein Pfad der Website, die das Formular sendet',
  'must be 1 to 255 visible ASCII characters': 'muss aus 1 bis 255 sichtbaren ASCII-Zeichen bestehen',
  'must be the same as the header Idempotency-Key': 'muss dem Header Idempotency-Key gleichen',
  'must be utf-8': 'muss utf-8 sein',
  'is refused': 'wird abgelehnt',

  // Imports.
  'Import not found': 'Import nicht gefunden',
  'Invalid import': 'Der Import ist ungültig',
  'must be a JSON object': 'muss ein JSON-Objekt sein',
  'is neither email nor data.<key> of a field': 'ist weder email noch data.<Schlüssel> eines Feldes',
  'has the path of another column': 'hat den Pfad einer anderen Spalte',
  'must map a column to email': 'muss eine Spalte email zuordnen',
  'is not a column of the file': 'ist keine Spalte der Datei',
  'is in the header more than once': 'steht mehrmals in der Kopfzeile',
  'must have YYYY, MM or M and DD or D, and HH or H and mm (ss) for a time, such as DD/MM/YYYY':
    'muss YYYY, MM oder M und DD oder D haben, und für eine Uhrzeit HH oder H und mm (ss), etwa DD.MM.YYYY',
  'must be an object of at most {} columns with the path of each':
    'muss ein Objekt von höchstens {} Spalten mit dem Pfad einer jeden sein',
  'must be csv or ndjson': 'muss csv oder ndjson sein',
  'must be upsert, insert or update': 'muss upsert, insert oder update sein',
  'must be append or replace': 'muss append oder replace sein',
  'must be skip or abort': 'muss skip oder abort sein',
  'must be a comma, a semicolon, a tab or |': 'muss ein Komma, ein Semikolon, ein Tabulator oder | sein',
  'must be . or ,': 'muss . oder , sein',
  'must be like bytes 0-1023/*': 'muss wie bytes 0-1023/* sein',
  'exists while a file is imported': 'besteht, während eine Datei importiert wird',
  'The app has {} imports that have not ended; delete one': 'Die App hat {} laufende Importe; löschen Sie einen',
  'The import was started': 'Der Import wurde gestartet',
  'The import ended at a line that was rejected': 'Der Import endete an einer abgelehnten Zeile',
  'The file does not have these columns': 'Die Datei hat diese Spalten nicht',
  'The file of the import is being received': 'Die Datei des Imports wird gerade empfangen',
  'The first line of the file {}': 'Die erste Zeile der Datei {}',
  'is missing: it names the columns': 'fehlt: Sie nennt die Spalten',
  'The file has more than {} columns': 'Die Datei hat mehr als {} Spalten',
  'The file is empty': 'Die Datei ist leer',
  'has a quote that is not closed': 'hat ein Anführungszeichen, das nicht geschlossen ist',
  'has text after a closing quote': 'hat Text nach einem schließenden Anführungszeichen',
  'is longer than {} MB': 'ist länger als {} MB',
  'is not valid in the encoding of the file': 'ist in der Kodierung der Datei ungültig',
  'has {} cells, and the header has {}': 'hat {} Zellen, die Kopfzeile hat {}',
  'must be a date like {}': 'muss ein Datum wie {} sein',
  'has no time zone: set timeZone': 'hat keine Zeitzone: Setzen Sie timeZone',
  'must be a number with a decimal comma': 'muss eine Zahl mit Dezimalkomma sein',
  'is not a JSON object': 'ist kein JSON-Objekt',
  'A person was erased meanwhile; send the content from byte {} again':
    'Inzwischen wurde eine Person gelöscht; senden Sie den Inhalt ab Byte {} erneut',
  'The import was started, or another request sends its content':
    'Der Import wurde gestartet, oder eine andere Anfrage sendet seinen Inhalt',
  'Too many files are being received; try again shortly':
    'Zu viele Dateien werden empfangen; versuchen Sie es gleich erneut',
  'The content continues at byte {}': 'Der Inhalt geht bei Byte {} weiter',

  // Submissions.
  'Invalid submission': 'Die Einsendung ist ungültig',
  'This form is closed': 'Dieses Formular ist geschlossen',
  'This form is full': 'Dieses Formular ist voll',
  '{} is full: it holds at most {} items': '{} ist voll: Es fasst höchstens {} Einträge',
  '{} is full: it holds at most {} item': '{} ist voll: Es fasst höchstens {} Eintrag',
  'Held submission not found': 'Zurückgehaltene Einsendung nicht gefunden',
  'is not a cursor': 'ist kein Cursor',
  'This app requires a proof of work; solve a challenge and send it':
    'Diese App verlangt einen Arbeitsnachweis; lösen Sie eine Aufgabe und senden Sie ihn mit',
  'The proof of work has expired; {}': 'Der Arbeitsnachweis ist abgelaufen; {}',
  'The proof of work is not valid; {}': 'Der Arbeitsnachweis ist ungültig; {}',
  'The proof of work was used before; {}': 'Der Arbeitsnachweis wurde schon verwendet; {}',
  'Too many challenges; try again later': 'Zu viele Aufgaben; versuchen Sie es später erneut',
  'Too many challenges at once; try again': 'Zu viele Aufgaben zugleich; versuchen Sie es erneut',
  'Too many submissions; try again later': 'Zu viele Einsendungen; versuchen Sie es später erneut',
  'Too many submissions at once; try again shortly': 'Zu viele Einsendungen zugleich; versuchen Sie es gleich erneut',
  'Too many submissions to this form at once; try again shortly':
    'Zu viele Einsendungen an dieses Formular zugleich; versuchen Sie es gleich erneut',
  'This form cannot take more submissions for now; try again later':
    'Dieses Formular nimmt gerade keine weiteren Einsendungen an; versuchen Sie es später erneut',

  // The kinds of fields and their options.
  Text: 'Text',
  Number: 'Zahl',
  Date: 'Datum',
  Checkbox: 'Kontrollkästchen',
  'Single choice': 'Einzelauswahl',
  'Several choices': 'Mehrfachauswahl',
  'Appending list': 'Fortlaufende Liste',
  'Each submission appends its items to the stored list, with a timestamp. Items can be any JSON value.':
    'Jede Einsendung hängt ihre Einträge mit einem Zeitstempel an die gespeicherte Liste an. Einträge können beliebige JSON-Werte sein.',
  'A list of choices. Each submission replaces it.':
    'Eine Liste von Auswahlmöglichkeiten. Jede Einsendung ersetzt sie.',
  'Min length': 'Mindestlänge',
  'Max length': 'Höchstlänge',
  Pattern: 'Muster',
  'Regular expression. Matches anywhere in the text; use ^ and $ to match the whole text.':
    'Regulärer Ausdruck. Er darf überall im Text passen; mit ^ und $ muss der ganze Text passen.',
  'Min choices': 'Mindestanzahl',
  'Max choices': 'Höchstanzahl',
  'Min value': 'Mindestwert',
  'Max value': 'Höchstwert',
  Consent: 'Einwilligung',
  'The version of the text that a person agrees to, and the page that shows it':
    'Die Version des Textes, dem eine Person zustimmt, und die Seite, die ihn zeigt',
  Choices: 'Auswahlmöglichkeiten',
  'Labels of the choices': 'Beschriftungen der Auswahlmöglichkeiten',
  'Shown instead of the values': 'Werden statt der Werte gezeigt',
  'Labels of the choices in other languages': 'Beschriftungen der Auswahlmöglichkeiten in anderen Sprachen',
  'Help text': 'Hilfetext',
  'Shown with the field': 'Wird beim Feld gezeigt',
  Placeholder: 'Platzhalter',
  'Shown while the field is empty': 'Wird gezeigt, solange das Feld leer ist',
  Hidden: 'Versteckt',
  'The form sends the value but does not show the field': 'Das Formular sendet den Wert, zeigt das Feld aber nicht',
  'Filled from the address of the form': 'Aus der Adresse des Formulars ausgefüllt',
  'A query parameter with the key of the field sets its value':
    'Ein Abfrageparameter mit dem Schlüssel des Feldes setzt seinen Wert',
  Autofill: 'Automatisches Ausfüllen',
  'Autofill tokens of HTML, such as given-name or tel': 'Autofill-Kürzel von HTML, etwa given-name oder tel',
  Source: 'Quelle',
  'The form sets the value from the page that shows it': 'Das Formular setzt den Wert aus der Seite, die es zeigt',
  Control: 'Eingabeelement',
  'Default value': 'Vorgabewert',
  'Label in other languages': 'Beschriftung in anderen Sprachen',
  'Help text in other languages': 'Hilfetext in anderen Sprachen',
  Indexed: 'Indexiert',
  'Filters and sorting by this field stay fast with many records. At most 8 fields of a schema.':
    'Filtern und Sortieren nach diesem Feld bleiben bei vielen Datensätzen schnell. Höchstens 8 Felder eines Schemas.',
  'Several lines': 'Mehrere Zeilen',
  'Telephone number': 'Telefonnummer',
  'Email address': 'E-Mail-Adresse',
  URL: 'URL',
  'Radio buttons': 'Optionsfelder',
  'Address of the page': 'Adresse der Seite',
  'Referrer of the page': 'Referrer der Seite',
};
