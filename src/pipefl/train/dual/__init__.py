"""The dual method: CoCoA+ with local coordinate ascent, for logistic regression and the SVM."""
