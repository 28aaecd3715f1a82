// Browsers keep pages that are opened from a disk from reading the index of the search.
if (location.protocol === "file:") document.documentElement.classList.add("from-disk");
