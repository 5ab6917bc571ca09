import datachain as dc

count = dc.read_dataset("dev.images.clean").count()
assert count > 0, "the dataset is empty"
print("the dataset has rows")
