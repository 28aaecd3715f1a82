// What a history needs of the frame of every page: it is drawn already.

openPage(() => watchKeys(null, { open() {} }, NO_CHARTS));
