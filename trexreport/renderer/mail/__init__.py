"""The content of mails: a subject and a short document, as HTML that mail programs show and as plain text."""
