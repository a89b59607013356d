"""pointree inside other libraries; nothing else in pointree imports these modules."""
