"""What an application states of the time of each image: the keys of its times among the facts of a log."""

#: Before the engine, in it, and behind it.
STAGES = ("Preprocessing per image", "Inference per image", "Postprocessing per image")
FIRST_IMAGE, MEDIAN_IMAGE, IMAGES = "Inference of the first image", "Median inference of an image", "Images"
