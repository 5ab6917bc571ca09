"""Reads images and labels. Where the credentials come from is not this script's business."""

import datachain as dc

for uri in ("s3://acme-images/raw/", "gs://acme-labels/"):
    for (file,) in dc.read_storage(uri).to_iter("file"):
        print(file.source, file.path, file.read_text())
